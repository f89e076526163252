//! The report: one self-contained page without scripts.
//!
//! | Module | What it draws |
//! | --- | --- |
//! | [`page`] | the page from the records and the experiments' static texts |
//! | [`svg`] | bar and line charts |
//! | [`dot_svg`] | graphs, such as automata, from DOT text |
//! | [`theme`] | colours and the style sheet |

pub mod dot_svg;
mod html;
pub mod page;
mod section;
pub mod svg;
pub mod theme;
