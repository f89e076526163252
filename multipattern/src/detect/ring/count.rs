//! How many matches there are, without finding them.

/// How many matches there are with some events of all operands but the last one, each cut off behind
/// the last event that something follows.
///
/// From the operand before the last one back, each event gets the number of ways to go on behind it;
/// what is kept is the sum over it and those behind it, at its bit.
#[inline]
pub(super) fn count(words: &[u64], [mut behind, mut own]: [&mut [u64; 64]; 2]) -> u64 {
    let Some((&last, before)) = words.split_last() else { return 1 };
    if before.is_empty() {
        return u64::from(last.count_ones());
    }
    let mut rest = last;
    let mut total = 0;
    while rest != 0 {
        let bit = 63 - rest.leading_zeros();
        rest ^= 1 << bit;
        total += 1;
        behind[bit as usize & 63] = total;
    }
    let mut next = last;
    for &events in before.iter().rev() {
        total = 0;
        let mut rest = events;
        while rest != 0 {
            let bit = 63 - rest.leading_zeros();
            rest ^= 1 << bit;
            // Something follows, and the highest bit is the current event.
            let first = (next & (!1 << bit) | 1 << 63).trailing_zeros();
            total = u64::saturating_add(total, behind[first as usize & 63]);
            own[bit as usize & 63] = total;
        }
        std::mem::swap(&mut behind, &mut own);
        next = events;
    }
    total
}
