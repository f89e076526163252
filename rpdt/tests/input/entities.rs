//! References: what they resolve to, what is refused, what costs how much.

use rpdt::ErrorKind;
use rpdt::input::{Checks, EntityPolicy, EntityTable, SourceConfig};

use super::log::{Event, failure, outcome, values, with};

fn fast() -> SourceConfig {
    with(Checks::Fast)
}

fn keep(checks: Checks) -> SourceConfig {
    SourceConfig { entities: EntityPolicy::Keep, ..with(checks) }
}

/// The values of a document that both kinds of checks accept.
fn both(document: &str) -> Vec<String> {
    let strict = values(&with(Checks::Strict), document.as_bytes());
    assert_eq!(strict, values(&fast(), document.as_bytes()));
    strict
}

#[test]
fn predefined_and_characters() {
    assert_eq!(both("<a>&lt;&gt;&amp;&apos;&quot;</a>"), ["<>&'\""]);
    assert_eq!(both("<a>&#65;&#x42;&#0000067;&#x1F980;&#xd;</a>"), ["ABC🦀\r"]);
    assert_eq!(both("<a b='&lt;&#9;&#10;\t'/>"), ["b=<\t\n "]);
    // Each reference is resolved once only.
    assert_eq!(both("<a b='&#38;lt;'>&amp;lt;&#38;#65;</a>"), ["b=&lt;", "&lt;&#65;"]);
}

#[test]
fn declared_in_the_internal_subset() {
    let document = "<!DOCTYPE a [<!ENTITY x 'one &amp; &y;'><!ENTITY y \"two&#33;\"><!ENTITY x 'again'>\
                    <!ENTITY esc '&#38;#60;'>]><a b='&x;'>[&x;][&esc;]</a>";
    assert_eq!(both(document), ["b=one & two!", "[one & two!][<]"]);
    let lines = "<!DOCTYPE a [<!ENTITY x 'l1\r\nl2\rl3&#13;'>]><a b='&x;'>&x;</a>";
    assert_eq!(both(lines), ["b=l1 l2 l3 ", "l1\nl2\nl3\r"]);
}

#[test]
fn attribute_lists() {
    let document = "<!DOCTYPE a [<!ENTITY e 'E'>\
        <!ATTLIST a id ID #IMPLIED t NMTOKENS #IMPLIED d CDATA 'd &e; &#x20;' f (x|y) #FIXED ' x '>\
        <!ATTLIST a d CDATA 'too late' more CDATA ''><!ATTLIST b x CDATA #REQUIRED>]>\
        <a t='  p \n q ' c='  p  '><b/></a>";
    assert_eq!(both(document), ["t=p q", "c=  p  ", "d=d E  ", "f=x", "more="]);
    // Written attributes win over defaults.
    let document = "<!DOCTYPE a [<!ATTLIST a d CDATA 'default'>]><a d='written'/>";
    assert_eq!(both(document), ["d=written"]);
}

#[test]
fn an_undeclared_entity() {
    let document = b"<a b='&nix;'>&nix;</a>";
    let seen = values(&fast(), document);
    assert_eq!(seen.len(), 2);
    assert!(seen[0].contains("the entity `nix` is not declared (byte 6)"), "{seen:?}");
    assert!(seen[1].contains("the entity `nix` is not declared (byte 13)"), "{seen:?}");
    assert_eq!(
        failure(&with(Checks::Strict), document).message,
        "the entity `nix` is not declared"
    );
    assert_eq!(values(&keep(Checks::Fast), document), ["b=&nix;", "&nix;"]);
    assert_eq!(failure(&keep(Checks::Strict), document).offset, 6);
    let table = EntityTable::new().with("nix", "<n&x>");
    let config = SourceConfig { entity_table: table, ..with(Checks::Strict) };
    assert_eq!(values(&config, document), ["b=<n&x>", "<n&x>"]);
}

#[test]
fn what_an_external_subset_may_declare() {
    for doctype in [
        "<!DOCTYPE a SYSTEM 'a.dtd'>",
        "<!DOCTYPE a [<!ENTITY % p SYSTEM 'p'>%p;<!ENTITY x 'may be declared before'>]>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'x.xml'>]>",
    ] {
        let document = format!("{doctype}<a>&x;</a>");
        for checks in [Checks::Fast, Checks::Strict] {
            let seen = values(&with(checks), document.as_bytes());
            assert!(seen[0].starts_with("[error: the entity `x` is "), "{seen:?}");
            assert!(seen[0].contains("--entities keep"), "{seen:?}");
            assert_eq!(values(&keep(checks), document.as_bytes()), ["&x;"]);
            // Nobody looks: no error.
            let unseen = document.replace("<a>", "<tags>").replace("</a>", "</tags>");
            assert_eq!(outcome(&with(checks), unseen.as_bytes()).1, Ok(()));
        }
    }
    let standalone = "<?xml version='1.0' standalone='yes'?><!DOCTYPE a SYSTEM 'a.dtd'><a>&x;</a>";
    assert_eq!(failure(&with(Checks::Strict), standalone.as_bytes()).kind, ErrorKind::Malformed);
}

#[test]
fn entities_with_markup_are_refused_even_when_nobody_looks() {
    let declared = "<!DOCTYPE r [<!ENTITY m '<b/>'><!ENTITY n 'see &m;'>]>";
    for root in ["a", "tags", "skip"] {
        for checks in [Checks::Fast, Checks::Strict] {
            let document = format!("{declared}<{root}>&n;</{root}>");
            let failure = failure(&with(checks), document.as_bytes());
            assert_eq!(failure.kind, ErrorKind::Entity);
            assert_eq!(
                failure.message,
                "the entity `n` (through `m`) holds markup; elements in entities are not supported"
            );
        }
        // Not used: no harm.
        let document = format!("{declared}<{root}>&amp;<![CDATA[&n;]]><!-- &n; --></{root}>");
        assert_eq!(outcome(&with(Checks::Strict), document.as_bytes()).1, Ok(()));
    }
    assert_eq!(values(&keep(Checks::Strict), format!("{declared}<a>&n;</a>").as_bytes()), ["&n;"]);
    let attribute = format!("{declared}<a b='&m;'/>");
    assert_eq!(
        failure(&with(Checks::Strict), attribute.as_bytes()).message,
        "the entity `m` brings a `<` into the value of an attribute"
    );
}

#[test]
fn entities_that_refer_to_themselves() {
    for (doctype, name) in [
        ("<!DOCTYPE a [<!ENTITY x '&x;'>]>", "x"),
        ("<!DOCTYPE a [<!ENTITY x 'a&y;b'><!ENTITY y '&z;&z;'><!ENTITY z '&x;'>]>", "x"),
    ] {
        let failure = failure(&fast(), format!("{doctype}<a>&x;</a>").as_bytes());
        assert_eq!(failure.kind, ErrorKind::Malformed);
        assert_eq!(failure.message, format!("the entity `{name}` refers to itself"));
    }
}

#[test]
fn a_billion_laughs() {
    for laugh in ["ha", ""] {
        let mut document = format!("<!DOCTYPE a [<!ENTITY e0 '{laugh}'>");
        for i in 1..40 {
            document += &format!("<!ENTITY e{i} '&e{};&e{};'>", i - 1, i - 1);
        }
        document += "]><a>&e39;</a>";
        let failure = failure(&fast(), document.as_bytes());
        assert_eq!(failure.kind, ErrorKind::Limit);
        assert_eq!(
            failure.message,
            "the entity `e39` expands to more than the limit of 1048576 bytes (entity_expansion_bytes)"
        );
        let attribute = document.replace("<a>&e39;", "<a b='&e39;'>");
        assert_eq!(
            super::log::failure(&with(Checks::Strict), attribute.as_bytes()).kind,
            ErrorKind::Limit
        );
    }
    let mut chain = "<!DOCTYPE a [<!ENTITY e0 'end'>".to_owned();
    for i in 1..2000 {
        chain += &format!("<!ENTITY e{i} '&e{};'>", i - 1);
    }
    let deep = failure(&fast(), format!("{chain}]><a>&e1999;</a>").as_bytes());
    assert_eq!(deep.message, "the entity `e1999` nests more than 256 entities");
    assert_eq!(values(&fast(), format!("{chain}]><a>&e200;</a>").as_bytes()), ["end"]);
}

#[test]
fn a_reference_is_one_piece_of_text() {
    let (events, _) = outcome(&fast(), b"<a>x&amp;y</a>");
    assert!(events.contains(&Event::Text { raw: "x&amp;y".to_owned(), value: "x&y".to_owned() }));
}

#[test]
fn a_reference_without_end_is_bounded() {
    let mut document = b"<a>&".to_vec();
    document.resize(70_000, b'x');
    let failure = failure(&fast(), &document);
    assert_eq!(failure.kind, ErrorKind::Limit);
    assert_eq!(failure.message, "a reference longer than 65536 bytes");
}

/// Parameter entities of the internal subset are read where they stand, once for all that they hold.
#[test]
fn parameter_entities() {
    let values_of = |subset: &str, body: &str| {
        let document = format!("<!DOCTYPE a [{subset}]>{body}");
        values(&with(Checks::Strict), document.as_bytes())
    };
    // The example of appendix D of XML 1.0.
    let example =
        "<!ENTITY % xx '&#37;zz;'><!ENTITY % zz '&#60;!ENTITY tricky \"error-prone\" >' >%xx;";
    assert_eq!(values_of(example, "<a>&tricky;</a>"), ["error-prone"]);
    let attributes =
        "<!ENTITY % d \"<!ATTLIST a x CDATA '1'><!-- d --> <?p?>\">%d;%d;<!ENTITY e 'f'>";
    assert_eq!(values_of(attributes, "<a>&e;</a>"), ["x=1", "f"]);
    // The first declaration counts, also when it comes from a parameter entity.
    let first = "<!ENTITY % d \"<!ENTITY e 'one'>\"><!ENTITY % d ''>%d;<!ENTITY e 'two'>";
    assert_eq!(values_of(first, "<a>&e;</a>"), ["one"]);

    for (subset, kind, message) in [
        (
            "<!ENTITY % e \"<?xml version='1.0'?>\">%e;",
            ErrorKind::Malformed,
            "the target `xml` is reserved",
        ),
        ("<!ENTITY % e '<!ENTITY x>'>\n%e;", ErrorKind::Malformed, "in the parameter entity `e`: "),
        (
            "<!ENTITY % e '&#37;e;'>%e;",
            ErrorKind::Malformed,
            "the parameter entity `e` refers to itself",
        ),
        (
            "<!ENTITY % e '&#37;f;'><!ENTITY % f '&#37;e;'>%e;",
            ErrorKind::Malformed,
            "refers to itself",
        ),
    ] {
        let document = format!("<!DOCTYPE a [{subset}]><a/>");
        for checks in [Checks::Fast, Checks::Strict] {
            let failure = failure(&with(checks), document.as_bytes());
            assert_eq!(failure.kind, kind, "{failure:?}");
            assert!(failure.message.contains(message), "{failure:?}");
            assert_eq!(failure.offset, document.find("%e;").expect("a reference") as u64);
        }
    }
    // What is in other files is not read, so nothing behind it is known.
    let external = "<!ENTITY % e SYSTEM 'e.ent'>%e;<!ENTITY f 'g'>";
    let document = format!("<!DOCTYPE a [{external}]><a>&f;</a>");
    let (events, result) = outcome(&with(Checks::Strict), document.as_bytes());
    assert_eq!(result, Ok(()));
    assert!(
        format!("{events:?}").contains("[error: the entity `f` is not declared in the document")
    );
}

/// A billion laughs by parameter entities are not laughed.
#[test]
fn parameter_entities_are_bounded() {
    let mut subset = "<!ENTITY % a0 '<!-- ha -->'>".to_owned();
    for i in 1..30 {
        subset += &format!("<!ENTITY % a{i} '{}'>", format!("&#37;a{};", i - 1).repeat(10));
    }
    for (top, message) in [(29, "(entity_expansion_bytes)"), (28, "(entity_expansion_bytes)")] {
        let document = format!("<!DOCTYPE a [{subset}%a{top};]><a/>");
        let failure = failure(&with(Checks::Fast), document.as_bytes());
        assert_eq!(failure.kind, ErrorKind::Limit);
        assert!(failure.message.contains(message), "{failure:?}");
    }
}
