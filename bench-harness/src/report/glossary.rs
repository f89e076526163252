//! The terms that the page uses.

use std::fmt::Write;

use super::html::Escaped;

const TERMS: [(&str, &str); 14] = [
    (
        "node",
        "As an answer: one returned element of the document, given once however many matches it is part of.",
    ),
    (
        "tuple",
        "As an answer: one element for each return node of the pattern; all distinct combinations are given.",
    ),
    (
        "instance",
        "As an answer: for each element at the pattern's root, the lists of returned elements below it. The paper calls it an instance tree.",
    ),
    (
        "run",
        "Sibling elements, one after the other, that spell an expression such as E:D*. In NFA^b: a partial match with its state. In tables of times: one execution of one engine.",
    ),
    (
        "paired ratio",
        "The time of one engine divided by that of the other in the same round. What slows the machine for a while slows both.",
    ),
    (
        "interval",
        "The 95 % interval of a median, from order statistics of the runs. A difference is shown when the interval of the ratio does not include 1. Of fewer than six runs, and where a value is the mean of several data sets, as in the figures of the multi-pattern paper, it is the range from the least to the most.",
    ),
    (
        "CPU time",
        "The time that the processor worked for the process, whatever else ran on the machine.",
    ),
    (
        "lazy automaton",
        "A deterministic automaton whose transitions are computed when they are first needed, and remembered.",
    ),
    (
        "skipping",
        "Passing over a subtree in which nothing can match, without looking at its tags one by one.",
    ),
    (
        "sharing",
        "One list of candidates for several enclosing elements, in place of a copy for each. In NFA^b: one buffer for the events of all runs.",
    ),
    ("fork", "In NFA^b: an event to which several edges apply, so that a run goes on as two."),
    (
        "strategy",
        "Which events a run may pass over: none (strict contiguity), those of other partitions (partition contiguity), those that fit nothing (skip till next match), any (skip till any match).",
    ),
    (
        "closure",
        "One or more events for one variable, written a+ with a[] for all, a[1] for the first, a[i] for the others.",
    ),
    (
        "match read",
        "Every event of the match is visited, as a user would who wants it; counting only asks how many there are.",
    ),
];

/// Appends the section.
pub(super) fn render(page: &mut String) {
    page.push_str("<section id=\"glossary\">\n<h2>Terms</h2>\n<dl class=\"facts\">\n");
    for (term, meaning) in TERMS {
        let _ = writeln!(page, "<dt>{}</dt><dd>{}</dd>", Escaped(term), Escaped(meaning));
    }
    page.push_str("</dl>\n<p><a href=\"#contents\">Back to the contents</a></p>\n</section>\n");
}
