//! Text for value tests, and recordings of elements whose text or XML the sink wants.

use crate::input::{EndTag, Markup, StartTag, Text};
use crate::{Error, ErrorKind, Sink};

use super::buffer::CaptureId;
use super::{Engine, value};

/// Buffers for text that is looked at.
#[derive(Debug, Default)]
pub(crate) struct Content {
    /// String values of the open elements that need them: nested ones share the buffer.
    string: String,
    /// How many open elements have a part in `string`.
    strings: usize,
    /// The text node being read, while the innermost element tests its text nodes.
    text_node: String,
    text_node_seen: bool,
    /// The recording of the outermost element that is captured.
    pub capture: Option<CaptureId>,
    peak: usize,
}

impl Content {
    pub(crate) fn held(&self) -> usize {
        self.string.len() + self.text_node.len()
    }

    pub(crate) fn peak(&self) -> usize {
        self.peak
    }
}

impl<S: Sink> Engine<'_, S> {
    /// Whether text and markup matter at this place.
    pub(super) fn wants_content(&self) -> bool {
        self.content.strings > 0 || self.content.capture.is_some() || self.tests_text_here()
    }

    fn tests_text_here(&self) -> bool {
        self.extras.last().is_some_and(|e| e.text_tests && e.depth == self.depth)
    }

    /// The start tag's part in recordings; `extras` of the element are in place.
    pub(super) fn begin_content(&mut self, tag: &StartTag<'_>) -> Result<(), Error> {
        if let Some(capture) = self.content.capture
            && self.needs.xml
        {
            self.buffers.record_xml(capture, tag.raw);
            self.check_text_limit(self.buffers.capture(capture).xml.len())?;
        }
        Ok(())
    }

    /// The element needs its string value for a test.
    pub(super) fn begin_string(&mut self) {
        let from = self.content.string.len();
        let extra = self.extra();
        if extra.string_from.is_none() {
            extra.string_from = Some(from);
            self.content.strings += 1;
        }
    }

    /// Closes the part of the string buffer that belongs to the innermost element.
    pub(super) fn end_string(&mut self) {
        self.content.strings -= 1;
        if self.content.strings == 0 {
            self.content.string.clear();
        }
    }

    /// The string value of the innermost element passes a test.
    pub(super) fn string_value_holds(
        &self,
        from: usize,
        test: &crate::automaton::compile::CompiledTest,
    ) -> bool {
        value::holds(&self.content.string[from..], test.comparison.as_ref())
    }

    /// A tag, comment or PI ends the text node of the innermost element: run the tests on it.
    pub(super) fn end_text_node(&mut self) -> Result<(), Error> {
        if !self.content.text_node_seen {
            return Ok(());
        }
        self.content.text_node_seen = false;
        let text = std::mem::take(&mut self.content.text_node);
        // No instance of a child is open yet, or any more.
        if let Some(extra) = self.extras.last()
            && extra.text_tests
        {
            let from = extra.instances as usize;
            let to = self.open.len();
            for i in from..to {
                let node = &self.compiled.nodes[self.open[i].node as usize];
                for test in &node.text_tests {
                    if self.open[i].conditions & test.bit != 0
                        && value::holds(&text, test.comparison.as_ref())
                    {
                        self.meet(i as u32, test.bit)?;
                    }
                }
            }
        }
        self.content.text_node = text;
        self.content.text_node.clear();
        Ok(())
    }

    pub(super) fn take_text(&mut self, text: &Text<'_>) -> Result<(), Error> {
        let tests_here = self.tests_text_here();
        let capture = self.content.capture;
        if tests_here || self.content.strings > 0 || (capture.is_some() && self.needs.text) {
            let value = text.value()?;
            if tests_here {
                self.content.text_node.push_str(value);
                // A text node has at least one character (XPath's data model).
                self.content.text_node_seen |= !value.is_empty();
                self.check_text_limit(self.content.text_node.len())?;
            }
            if self.content.strings > 0 {
                self.content.string.push_str(value);
                self.check_text_limit(self.content.string.len())?;
            }
            if let Some(capture) = capture
                && self.needs.text
            {
                self.buffers.record_text(capture, value);
                self.check_text_limit(self.buffers.capture(capture).text.len())?;
            }
            self.content.peak = self.content.peak.max(self.content.held());
        }
        if let Some(capture) = capture
            && self.needs.xml
        {
            self.buffers.record_xml(capture, text.raw);
            self.check_text_limit(self.buffers.capture(capture).xml.len())?;
        }
        self.check_buffers()
    }

    pub(super) fn take_markup(&mut self, markup: &Markup<'_>) -> Result<(), Error> {
        self.end_text_node()?;
        if let Some(capture) = self.content.capture
            && self.needs.xml
        {
            self.buffers.record_xml(capture, markup.raw);
            self.check_text_limit(self.buffers.capture(capture).xml.len())?;
        }
        Ok(())
    }

    /// The end tag's part in recordings.
    pub(super) fn record_end(&mut self, tag: &EndTag<'_>) {
        if let Some(capture) = self.content.capture
            && self.needs.xml
        {
            self.buffers.record_xml(capture, tag.raw);
        }
    }

    fn check_text_limit(&self, bytes: usize) -> Result<(), Error> {
        if bytes > self.limits.text_bytes {
            return Err(Error::new(
                ErrorKind::Limit,
                format!(
                    "a text that the query or the output looks at is longer than the limit of {} \
                     bytes (text_bytes)",
                    self.limits.text_bytes
                ),
            )
            .with_hint("raise the limit, or ask for less"));
        }
        Ok(())
    }
}
