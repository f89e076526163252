//! Documents that are not well-formed, with the exact words and places of their errors.

use rpdt::ErrorKind::{self, Incomplete, Malformed};
use rpdt::input::Checks;

use super::log::{failure, outcome, with};

/// Document, kind, offset, message; the same with both kinds of checks.
const ALWAYS: &[(&str, ErrorKind, u64, &str)] = &[
    ("", Incomplete, 0, "the document is empty"),
    (" ", Incomplete, 1, "the document has no root element"),
    ("<!-- only -->", Incomplete, 13, "the document has no root element"),
    ("<?xml version='1.0'?>", Incomplete, 21, "the document has no root element"),
    ("text", Malformed, 0, "text outside the root element"),
    ("<a/>text", Malformed, 4, "text outside the root element"),
    ("&amp;<a/>", Malformed, 0, "a reference outside the root element"),
    ("<a/>&amp;", Malformed, 4, "a reference outside the root element"),
    ("<a/><b/>", Malformed, 4, "a second root element; a document has exactly one"),
    ("<a></a><a></a>", Malformed, 7, "a second root element; a document has exactly one"),
    ("<a/><![CDATA[x]]>", Malformed, 4, "a CDATA section outside the root element"),
    ("<a/><!DOCTYPE a>", Malformed, 4, "a DOCTYPE may only stand before the root element"),
    ("<!DOCTYPE a><!DOCTYPE a><a/>", Malformed, 12, "a second DOCTYPE"),
    ("<a></b>", Malformed, 3, "end tag `</b>` does not match start tag `<a>` opened at byte 0"),
    (
        "<a><b></a></b>",
        Malformed,
        6,
        "end tag `</a>` does not match start tag `<b>` opened at byte 3",
    ),
    ("<a></a x=\"1\">", Malformed, 3, "an end tag may hold nothing but its name: `</a x=\"1\">`"),
    ("</a>", Malformed, 0, "end tag `</a>` without a start tag"),
    ("<a/></a>", Malformed, 4, "end tag `</a>` without a start tag"),
    (
        "<a>",
        Incomplete,
        3,
        "the document ends, but the element `<a>` opened at byte 0 is not closed",
    ),
    (
        "<a><b>",
        Incomplete,
        6,
        "the document ends, but the element `<b>` opened at byte 3 is not closed",
    ),
    (
        "<a><b/>text",
        Incomplete,
        11,
        "the document ends, but the element `<a>` opened at byte 0 is not closed",
    ),
    ("<a", Incomplete, 0, "the document ends inside a start tag"),
    ("<a b=\"1", Incomplete, 0, "the document ends inside a quoted value in a start tag"),
    (
        "<a></a",
        Incomplete,
        3,
        "the document ends inside an end tag, and the element `<a>` opened at byte 0 is not closed",
    ),
    ("<!-- x", Incomplete, 6, "the document ends inside a comment"),
    (
        "<a><!-- x",
        Incomplete,
        9,
        "the document ends inside a comment, and the element `<a>` opened at byte 0 is not closed",
    ),
    (
        "<a><![CDATA[x]]",
        Incomplete,
        15,
        "the document ends inside a CDATA section, and the element `<a>` opened at byte 0 is not closed",
    ),
    (
        "<a><?p x",
        Incomplete,
        3,
        "the document ends inside a processing instruction, and the element `<a>` opened at byte 0 is not closed",
    ),
    ("<!DOCTYPE a [", Incomplete, 0, "the document ends inside a DOCTYPE"),
    (
        "<a>&amp",
        Incomplete,
        7,
        "the document ends, but the element `<a>` opened at byte 0 is not closed",
    ),
    ("< a/>", Malformed, 0, "`<` is not followed by a name; write `&lt;` for the character `<`"),
    (
        "<1a/>",
        Malformed,
        0,
        "`<` is followed by `1`, which cannot start a name; write `&lt;` for the character `<`",
    ),
    (
        "<a>1 < 2</a>",
        Malformed,
        5,
        "`<` is not followed by a name; write `&lt;` for the character `<`",
    ),
    (
        "<a>x <</a>",
        Malformed,
        5,
        "`<` is followed by `<`, which cannot start a name; write `&lt;` for the character `<`",
    ),
    ("<></>", Malformed, 0, "`<` is not followed by a name; write `&lt;` for the character `<`"),
    ("<a/ >", Malformed, 1, "`a/` is not a name that XML allows"),
    ("<a / b=\"1\">", Malformed, 3, "`/` inside a tag may only stand directly before `>`"),
    ("<a b/>", Malformed, 4, "the attribute `b` has no `=` and value"),
    ("<a b=1/>", Malformed, 5, "the value of the attribute `b` is not quoted"),
    ("<a b \"1\"/>", Malformed, 5, "the attribute `b` has no `=` and value"),
    ("<a b=\"1\"c=\"2\"/>", Malformed, 8, "white space is missing before the attribute"),
    ("<a b=\"1\" b=\"2\"/>", Malformed, 9, "the attribute `b` is given twice"),
    ("<a b=\"1\" c=\"2\" b='3'/>", Malformed, 15, "the attribute `b` is given twice"),
    ("<a b=\"<\"/>", Malformed, 6, "`<` in the value of the attribute `b`; write `&lt;`"),
    ("<a b=\"1\" <b/>", Malformed, 9, "`<` inside a tag; is a `>` missing?"),
    ("<a \"b\"=\"1\"/>", Malformed, 3, "`\"` where the name of an attribute was expected"),
    ("<a =\"1\"/>", Malformed, 3, "`=` where the name of an attribute was expected"),
    ("<a b=\"1' c='2'/>", Incomplete, 0, "the document ends inside a quoted value in a start tag"),
    ("<a<b/>", Malformed, 1, "`<` inside a tag; is a `>` missing?"),
    ("<a&b/>", Malformed, 1, "`a&b` is not a name that XML allows"),
    ("<é·×/>", Malformed, 1, "`é·×` is not a name that XML allows"),
    ("<a><!x></a>", Malformed, 3, "`<!` is not followed by `--`, `[CDATA[` or `DOCTYPE`"),
    (
        "<a><!ELEMENT a ANY></a>",
        Malformed,
        3,
        "`<!` is not followed by `--`, `[CDATA[` or `DOCTYPE`",
    ),
    ("<!doctype a><a/>", Malformed, 0, "`<!` is not followed by `--`, `[CDATA[` or `DOCTYPE`"),
    ("<a><??></a>", Malformed, 3, "`<?` is not followed by the target of a processing instruction"),
    (
        "<a><?xml version='1.0'?></a>",
        Malformed,
        3,
        "the XML declaration may only stand at the very start of the document",
    ),
    (
        " <?xml version='1.0'?><a/>",
        Malformed,
        1,
        "the XML declaration may only stand at the very start of the document",
    ),
    (
        "<?xml version='1.0'?><?xml version='1.0'?><a/>",
        Malformed,
        21,
        "the XML declaration may only stand at the very start of the document",
    ),
    ("<?xml?><a/>", Malformed, 5, "the XML declaration has no `version`"),
    ("<?xml encoding='UTF-8'?><a/>", Malformed, 6, "the XML declaration must start with `version`"),
    (
        "<?xml version='2.0'?><a/>",
        Malformed,
        15,
        "`2.0` is not a possible value of `version` in the XML declaration",
    ),
    (
        "<?xml version='1.0' standalone='maybe'?><a/>",
        Malformed,
        32,
        "`maybe` is not a possible value of `standalone` in the XML declaration",
    ),
    (
        "<?xml version='1.0' standalone='no' encoding='UTF-8'?><a/>",
        Malformed,
        36,
        "`encoding` is out of place in the XML declaration",
    ),
    (
        "<?xml version='1.0'encoding='UTF-8'?><a/>",
        Malformed,
        19,
        "white space is missing before `encoding` in the XML declaration",
    ),
    (
        "<?xml version='1.0' charset='UTF-8'?><a/>",
        Malformed,
        20,
        "only `version`, `encoding` and `standalone` may stand in the XML declaration",
    ),
    (
        "<?xml version=1.0?><a/>",
        Malformed,
        14,
        "`version` of the XML declaration needs a quoted value",
    ),
    ("<?xml version='1.0", Incomplete, 0, "the document ends inside the XML declaration"),
    (
        "<!DOCTYPE><a/>",
        Malformed,
        9,
        "white space is missing before the name of the root element in the DOCTYPE",
    ),
    ("<!DOCTYPE a SYSTEM><a/>", Malformed, 18, "white space is missing before a system identifier"),
    (
        "<!DOCTYPE a [<!ENTITY x>]><a/>",
        Malformed,
        23,
        "white space is missing before the value of an entity",
    ),
    ("<!DOCTYPE a [<!ENTITY x \"&y\">]><a/>", Malformed, 25, "`&` without `;`; write `&amp;`"),
    (
        "<!DOCTYPE a [<!ENTITY x \"%y;\">]><a/>",
        Malformed,
        25,
        "`%` in the value of an entity; parameter entities may not be used inside declarations of the internal subset",
    ),
    ("<!DOCTYPE a [<!ELEMENT a (b,c|d)>]><a/>", Malformed, 29, "`|` in the content of an element"),
    (
        "<!DOCTYPE a [<!ATTLIST a b CDATA \"<\">]><a/>",
        Malformed,
        34,
        "`<` in the value of an attribute; write `&lt;`",
    ),
    (
        "<!DOCTYPE a [<!ATTLIST a b STRING #IMPLIED>]><a/>",
        Malformed,
        27,
        "`STRING` is not a type of attributes",
    ),
    ("<!DOCTYPE a [<!-- x -- y -->]><a/>", Malformed, 20, "`--` inside a comment"),
    (
        "<!DOCTYPE a [ x ]><a/>",
        Malformed,
        14,
        "`x` where a declaration of the DOCTYPE was expected",
    ),
];

/// Accepted by the fast checks when nobody looks.
const STRICT: &[(&str, ErrorKind, u64, &str)] = &[
    ("<a>&</a>", Malformed, 3, "`&` does not start a reference"),
    ("<a>& b</a>", Malformed, 3, "`&` does not start a reference"),
    ("<a>&b</a>", Malformed, 3, "the reference `&b` has no `;`"),
    ("<a>&b c;</a>", Malformed, 3, "the reference `&b` has no `;`"),
    ("<a>&#0;</a>", Malformed, 3, "`&#0;` is not a character that XML allows"),
    ("<a>&#xD800;</a>", Malformed, 3, "`&#xD800;` is not a character that XML allows"),
    ("<a>&#x;</a>", Malformed, 3, "`&#x;` is not a character that XML allows"),
    ("<a>&#99999999999;</a>", Malformed, 3, "`&#99999999999;` is not a character that XML allows"),
    ("<a>&undeclared;</a>", Malformed, 3, "the entity `undeclared` is not declared"),
    ("<a b=\"&undeclared;\"/>", Malformed, 6, "the entity `undeclared` is not declared"),
    ("<a b=\"& c\"/>", Malformed, 6, "`&` does not start a reference"),
    ("<a b=\"&#2;\"/>", Malformed, 6, "`&#2;` is not a character that XML allows"),
    ("<a>]]></a>", Malformed, 3, "`]]>` in text; write `]]&gt;`"),
    ("<a><!-- x -- y --></a>", Malformed, 10, "`--` inside a comment"),
    ("<a><!-- x ---></a>", Malformed, 10, "`--` inside a comment"),
    ("<a>\u{1}</a>", Malformed, 3, "the character U+0001 is not allowed in XML"),
    ("<a b=\"\u{1}\"/>", Malformed, 6, "the character U+0001 is not allowed in XML"),
    ("<a><!--\u{1}--></a>", Malformed, 7, "the character U+0001 is not allowed in XML"),
    ("<a><?p \u{1}?></a>", Malformed, 7, "the character U+0001 is not allowed in XML"),
    ("<a><![CDATA[\u{1}]]></a>", Malformed, 12, "the character U+0001 is not allowed in XML"),
    ("<a>\u{ffff}</a>", Malformed, 3, "the character U+FFFF is not allowed in XML"),
    ("<a><?XML x?></a>", Malformed, 5, "the target `XML` of a processing instruction is reserved"),
    ("<a b×=\"1\"/>", Malformed, 3, "`b×` is not a name that XML allows"),
    ("<a><?p× x?></a>", Malformed, 5, "`p×` is not a name that XML allows"),
    (
        "<!DOCTYPE a [<!ATTLIST a b CDATA \"&x;\">]><a/>",
        Malformed,
        34,
        "the entity `x` is not declared",
    ),
];

#[test]
fn always() {
    for (document, kind, offset, message) in ALWAYS {
        for checks in [Checks::Fast, Checks::Strict] {
            let failure = failure(&with(checks), document.as_bytes());
            assert_eq!(
                (failure.kind, failure.offset, failure.message.as_str()),
                (*kind, *offset, *message),
                "{document}"
            );
        }
    }
}

#[test]
fn strict() {
    for (document, kind, offset, message) in STRICT {
        let failure = failure(&with(Checks::Strict), document.as_bytes());
        assert_eq!(
            (failure.kind, failure.offset, failure.message.as_str()),
            (*kind, *offset, *message),
            "{document}"
        );
        let (_, result) = outcome(
            &with(Checks::Fast),
            document.replace("<a", "<skip").replace("</a", "</skip").as_bytes(),
        );
        assert_eq!(result, Ok(()), "{document}");
    }
}

/// Lines count from 1, columns are bytes from 1, in all chunks ([`failure`] tries several).
#[test]
fn lines_and_columns() {
    for (document, line, column) in [
        ("<a>\n<b>\n  </c>\n</a>", 3, 3),
        ("<a>\r\n\r\n\té</b>", 3, 4),
        ("\u{feff}<?xml version='1.0'?>\n<a b='1'\n   b='2'/>", 3, 4),
        ("<a>\n<!--\n\n-->\n<![CDATA[\n]]>\n</b>", 7, 1),
        ("<a>\n\n", 3, 1),
        ("<!DOCTYPE a [\n<!ENTITY x>\n]>\n<a/>", 2, 11),
        ("\n\n<a/>\n <b/>", 4, 2),
    ] {
        let failure = failure(&with(Checks::Fast), document.as_bytes());
        assert_eq!((failure.line, failure.column), (line, column), "{document}: {failure:?}");
    }
}

/// Documents that look odd and are well-formed.
#[test]
fn accepted() {
    for document in [
        "<a></a >",
        "<a\n/>",
        "<a b = '1'\tc\n=\n\"2\"></a\r\n>",
        "<a b='>' c='/>'>></a>",
        "<a>]] ]></a>",
        "<a><!----></a>",
        "<a><!-- - -> > --></a>",
        "<a><?x?><?x ?><?xml-stylesheet ?></a>",
        "<a><![CDATA[]]]]><![CDATA[>]]></a>",
        "<_:-.1/>",
        "<é·/>",
        "<?xml version='1.1'?><a/>",
        "<?xml version = \"1.0\" standalone='yes' ?><a/>\n<!-- x -->\n",
        "<!DOCTYPE a SYSTEM 'x>y' [ <!-- ]> --> <?p ]> ?> <!ENTITY e ']>'> ] ><a/>",
        "<!DOCTYPE a PUBLIC '-//x//y' \"z\"><a/>",
        "<!DOCTYPE a [<!ELEMENT a ((b|c)*,(d?,e+)*)><!ELEMENT b EMPTY><!ELEMENT c (#PCDATA|d)*>]><a/>",
        "<!DOCTYPE a [<!NOTATION n PUBLIC 'p'><!ATTLIST a b NOTATION (n) #IMPLIED c (x|1) 'x'>]><a/>",
    ] {
        for checks in [Checks::Fast, Checks::Strict] {
            let (_, result) = outcome(&with(checks), document.as_bytes());
            assert_eq!(result, Ok(()), "{document}");
        }
    }
}
