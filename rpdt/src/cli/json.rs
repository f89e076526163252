//! Answers as JSON.

use std::io::Write;

use rpdt::{Field, NodeRef, Value};

/// A node, with exactly the keys that are documented, in their order.
pub(super) fn node(out: &mut Vec<u8>, node: &NodeRef<'_>) {
    out.extend_from_slice(b"{\"label\":");
    string(out, node.label);
    out.extend_from_slice(b",\"name\":");
    string(out, node.name);
    out.extend_from_slice(b",\"path\":");
    string(out, node.path);
    // Writing to a vector does not fail.
    let _ = write!(
        out,
        ",\"start\":{},\"end\":{},\"depth\":{},\"attributes\":{{",
        node.start, node.end, node.depth
    );
    for (i, (name, value)) in node.attributes.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        string(out, name);
        out.push(b':');
        string(out, value);
    }
    out.extend_from_slice(b"}}");
}

/// A tuple or an instance: an object with a node or a list of nodes for each label.
pub(super) fn fields(out: &mut Vec<u8>, fields: &[Field<'_>]) {
    out.push(b'{');
    for (i, field) in fields.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        string(out, field.label);
        out.push(b':');
        match &field.value {
            Value::Node(bound) => node(out, bound),
            Value::List(list) => {
                out.push(b'[');
                for (i, bound) in list.iter().enumerate() {
                    if i > 0 {
                        out.push(b',');
                    }
                    node(out, bound);
                }
                out.push(b']');
            }
        }
    }
    out.push(b'}');
}

pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    if text.bytes().any(|b| b < 0x20 || b == b'"' || b == b'\\') {
        // Writing a string to a vector does not fail.
        let _ = serde_json::to_writer(out, text);
    } else {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    }
}
