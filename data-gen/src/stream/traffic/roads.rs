//! Cameras at the crossings of a random road network, and the fastest ways between them.

use super::super::travel::Times;
use crate::seed::Rng;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Speed limits of roads, km/h.
const LIMITS: [f64; 4] = [40.0, 50.0, 60.0, 80.0];

/// Every crossing has roads to so many of its nearest others at least.
const NEAREST: usize = 3;

/// A road network with a camera at every crossing. Roads go both ways.
#[derive(Clone, Debug)]
pub(super) struct Roads {
    cameras: usize,
    /// The fastest travel in milliseconds, `[to * cameras + from]`.
    fastest: Vec<u32>,
    /// The next crossing on the way, `[to * cameras + from]`.
    next: Vec<u16>,
}

impl Roads {
    /// Crossings uniform in a square, so that there is one on each `spacing` times `spacing` km.
    pub(super) fn new(cameras: usize, spacing: f64, rng: &mut Rng) -> Self {
        let side = (cameras as f64).sqrt() * spacing;
        let places: Vec<(f64, f64)> =
            (0..cameras).map(|_| (rng.unit() * side, rng.unit() * side)).collect();
        let apart = |a: usize, b: usize| {
            let (x, y) = (places[a].0 - places[b].0, places[a].1 - places[b].1);
            x * x + y * y
        };
        let mut roads: Vec<Vec<(u16, u32)>> = vec![Vec::new(); cameras];
        for from in 0..cameras {
            let mut others: Vec<usize> = (0..cameras).filter(|&to| to != from).collect();
            others.sort_by(|&a, &b| apart(from, a).total_cmp(&apart(from, b)));
            let near = others.iter().take(NEAREST);
            // A road to the nearest of those before makes the network one piece.
            let earlier = others.iter().find(|&&to| to < from);
            for &to in near.chain(earlier) {
                if roads[from].iter().any(|&(there, _)| usize::from(there) == to) {
                    continue;
                }
                let detour = 1.1 + 0.3 * rng.unit();
                let kilometres = apart(from, to).sqrt() * detour;
                let seconds = kilometres / rng.pick(&LIMITS) * 3600.0;
                let milliseconds = (seconds * 1000.0) as u32 + 1000;
                roads[from].push((to as u16, milliseconds));
                roads[to].push((from as u16, milliseconds));
            }
        }
        let (mut fastest, mut next) = (Vec::new(), Vec::new());
        for to in 0..cameras {
            let (times, hops) = ways(&roads, to);
            fastest.extend(times);
            next.extend(hops);
        }
        Self { cameras, fastest, next }
    }

    /// The fastest travel in milliseconds.
    pub(super) fn fastest(&self, from: usize, to: usize) -> u32 {
        self.fastest[to * self.cameras + from]
    }

    /// The fastest travel in whole seconds, rounded down, at least one.
    pub(super) fn seconds(&self) -> Times {
        let pairs = (0..self.cameras).flat_map(|from| (0..self.cameras).map(move |to| (from, to)));
        Times::Matrix(pairs.map(|(from, to)| (self.fastest(from, to) / 1000).max(1)).collect())
    }

    /// The next crossing on the fastest way.
    pub(super) fn next(&self, from: usize, to: usize) -> usize {
        usize::from(self.next[to * self.cameras + from])
    }
}

/// Dijkstra: from every crossing the fastest time to `to`, and the next crossing on the way.
fn ways(roads: &[Vec<(u16, u32)>], to: usize) -> (Vec<u32>, Vec<u16>) {
    let mut times = vec![u32::MAX; roads.len()];
    let mut hops = vec![to as u16; roads.len()];
    let mut open = BinaryHeap::from([Reverse((0_u32, to as u16))]);
    times[to] = 0;
    while let Some(Reverse((time, at))) = open.pop() {
        if time > times[usize::from(at)] {
            continue;
        }
        for &(there, road) in &roads[usize::from(at)] {
            let sum = time.saturating_add(road);
            if sum < times[usize::from(there)] {
                times[usize::from(there)] = sum;
                hops[usize::from(there)] = at;
                open.push(Reverse((sum, there)));
            }
        }
    }
    (times, hops)
}
