//! Labels that do not overlap.

/// About how wide a text is in pixels at a font size. Without a font at hand this errs on the wide
/// side, which costs a little room and never an overlap.
pub fn text_width(text: &str, size: f64) -> f64 {
    let em: f64 = text
        .chars()
        .map(|character| match character {
            'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.3,
            'f' | 't' | 'r' | ' ' | '(' | ')' | '/' | '[' | ']' | '-' => 0.4,
            'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.92,
            'A'..='Z' | '<' | '>' | '=' | '+' => 0.7,
            character if character.is_ascii() => 0.58,
            // Letters of other scripts may be a full em wide.
            _ => 1.0,
        })
        .sum();
    em * size
}

/// Moves positions apart until neighbours are at least `gap` away from each other, within `low` and
/// `high` as far as they fit there, and as little as possible. Returns them in the order given.
pub fn spread(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // Clusters of touching labels, each centred on the mean of what its members want.
    let mut clusters: Vec<(Vec<usize>, f64)> = Vec::new();
    let half = |members: &[usize]| (members.len() as f64 - 1.0) * gap / 2.0;
    let centre = |members: &[usize]| {
        let mean = members.iter().map(|&index| wanted[index]).sum::<f64>() / members.len() as f64;
        let half = half(members);
        // `max` last: when they do not fit, they start at the top and run over the bottom.
        mean.min(high - half).max(low + half)
    };
    for index in order {
        let mut members = vec![index];
        while let Some((previous, at)) = clusters.last() {
            if at + half(previous) + gap <= centre(&members) - half(&members) + 1e-9 {
                break;
            }
            let (mut merged, _) = clusters.pop().unwrap_or_default();
            merged.append(&mut members);
            members = merged;
        }
        let at = centre(&members);
        clusters.push((members, at));
    }
    let mut placed = vec![0.0; wanted.len()];
    for (members, at) in clusters {
        let first = at - half(&members);
        for (rank, index) in members.into_iter().enumerate() {
            placed[index] = first + rank as f64 * gap;
        }
    }
    placed
}

/// The names without what all of them begin and end with, in whole parts between commas or colons:
/// the title says that already. A name alone stays as it is.
pub fn distinct<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let Some((first, others)) = names.split_first().filter(|(_, others)| !others.is_empty()) else {
        return names.to_vec();
    };
    let starts: Vec<usize> = SEPARATORS
        .iter()
        .flat_map(|separator| first.match_indices(separator).map(|(at, sign)| at + sign.len()))
        .filter(|&end| others.iter().all(|name| name.starts_with(&first[..end])))
        .collect();
    let start = starts.into_iter().max().unwrap_or(0);
    let ends: Vec<usize> = SEPARATORS
        .iter()
        .flat_map(|separator| first[start..].match_indices(separator))
        .map(|(at, _)| first.len() - start - at)
        .filter(|&length| {
            let end = &first[first.len() - length..];
            others.iter().all(|name| name[start..].ends_with(end))
        })
        .collect();
    let end = ends.into_iter().max().unwrap_or(0);
    let cut: Vec<&str> = names.iter().map(|name| &name[start..name.len() - end]).collect();
    if cut.iter().any(|name| name.is_empty()) { names.to_vec() } else { cut }
}

const SEPARATORS: [&str; 2] = [", ", ": "];
