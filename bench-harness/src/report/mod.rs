//! The report: one self-contained page without scripts.
//!
//! | Module | What it draws |
//! | --- | --- |
//! | [`page`] | the page from the records and the experiments' static texts |
//! | [`comparison`] | the page of `compare` |
//! | [`plots`] | each drawing as a file of its own |
//! | `tally` | the claims in groups, counted for the page and for the terminal |
//! | [`svg`] | bar and line charts, ratios as dots |
//! | [`dot_svg`] | graphs, such as automata, from DOT text |
//! | [`theme`] | colours and the style sheet |

pub mod comparison;
pub mod dot_svg;
mod glossary;
mod html;
pub mod page;
pub mod plots;
mod section;
pub mod svg;
pub(crate) mod tally;
pub mod theme;
