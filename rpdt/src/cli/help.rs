//! The longer texts of `--help`.

pub(super) const USAGE: &str = "\
rpdt [OPTIONS] QUERY [FILE]...
       rpdt [OPTIONS] -e QUERY [-e QUERY]... [FILE]...
       rpdt explain [--dot] [--ns PREFIX=URI]... QUERY";

pub(super) const ABOUT: &str = "\
Finds regular tree patterns in XML files and streams, in one pass and in bounded memory; each \
answer is printed as soon as it is certain.

A query is an XPath-like path with conditions in brackets. Order among children is a regular \
expression in braces. `!` marks what is returned; without a mark it is the last step.";

pub(super) const EXAMPLES: &str = "\
Examples:
  rpdt '//person[address]/name' site.xml
  rpdt '//station[temp!]/{quake[@mag>=6.5]!, wave[@h>1]!*}' --format path log.xml
  zcat big.xml.gz | rpdt -e '//bidder' -e '//seller' --format count
  rpdt explain '//a[b!]//c/{e!, d[f]*}' --dot | dot -Tsvg > automaton.svg

`rpdt --help` tells more about queries, output and exit codes.";

pub(super) const DETAILS: &str = "\
Queries:
  /a/b  //a//b         children; descendants. A leading / is the document element
  *  p:name  *:name    any element; a name in a namespace (see --ns); a name in any namespace.
                       A name without prefix matches elements that are written without prefix,
                       whatever the default namespace of the document is (but see --default-ns)
  a[b]  a[.//b/c]      with a child b; with a descendant b that has a child c
  a[@id] a[@n>=6.5]    with an attribute; with its value compared: = != < <= > >=
  a[text()=\"x\"] a[.=5] some text node, or all text below, compared
  a/{b, (c | d)*, e?}  a run of children: b, then any number of c and d, then perhaps e;
                       also b+, b{2} and b{2,5}. Inside brackets: a[{b, c}]
  a!  a!label          a is returned, under its name or a label. Without any mark it is the last
                       step outside braces; to count runs mark a symbol in the braces
  Below //, names in a namespace (p:name) cost several times as much as *:name

Output (--format):
  json   shape nodes: a line for each node, with the keys label, name, path, start, end, depth
         (1 for the document element) and attributes. Other shapes: a line for each answer,
         {LABEL: NODE} or {LABEL: [NODE, ...]}. start and end are byte offsets in the input
  count  the number of answers, one line for each query, also when it is 0
  path, range, text, xml
         a line for each answer: the path, START-END, the text, the element as written. Other
         shapes than nodes: LABEL=VALUE, separated by tabs; the values of a list by commas.
         Text and XML are written raw, with the line ends that they contain. XML is a piece of the
         document: prefixes and entities that are declared outside it are not declared in it
  With several queries, json becomes {\"query\":I,\"answer\":...} and lines of the other formats
  begin with I and a tab; I counts the queries from 0 in the order in which they are given.

  With several files, json becomes {\"file\":NAME,\"answer\":...}, with \"query\" between them where
  there are several queries, and lines of the other formats begin with the name and a tab. A file at
  fault does not keep the others from being searched.

  Answers are printed when they are certain, which for most formats is at an end tag. What was
  printed stays valid when the document proves malformed further on. A run that stops early
  (--first, --limit) does not check the rest of the document.

Counts (--stats):
  tags counts start tags and end tags, <a/> as two. peak buffered bytes are those of answers and
  values that wait until they are certain; the process takes more: buffers of 256 KiB for each thread,
  the program itself, and what the depth of the document needs.

When nothing is found:
  --why reads each file a second time and tells on the standard error, for each step and each name
  in a condition, how many elements have the name and how many of them are where its axis wants them
  (below elements that are themselves in place; conditions are left aside). For a name that does not
  occur it tells similar ones, and where else it occurs; for a comparison, how many values pass, and
  the first five of them. It remembers up to 65536 names, and compares texts of up to 4096 bytes.
  The standard input and pipes cannot be read twice.

Reading:
  Encodings: UTF-8, UTF-16 with a byte order mark or recognisable by its first characters, and by
  declaration US-ASCII, ISO-8859-1 and what the WHATWG's Encoding Standard names but ISO-2022-JP.
  Offsets are those of the original bytes, and columns in messages count bytes. --encoding NAME overrules the declaration. A declaration
  that contradicts the bytes is an error.

  --checks fast (the default) looks at one root, end tags that match, nothing but white space,
  comments and processing instructions outside the root, the DOCTYPE, names and attributes of every
  tag that is not passed over. It does NOT look at
  - elements in which the query cannot match anything: their tags are only counted (with --front-end
    quick-xml they are checked like others); `<` in a tag and elements that are not closed are
    errors there, too;
  - bytes that are not UTF-8, references and `]]>` in text, CDATA sections and comments that neither
    query nor output need; references in values of attributes;
  - characters that XML forbids, names of attributes beyond ASCII, `--` in comments.
  --checks strict looks at all that XML 1.0 (fifth edition) demands of documents, everywhere, and
  refuses references to entities that nobody declares. It is meant for documents that are not trusted.

  Entities and default values of attributes that the DOCTYPE declares in the document are used; an
  entity with tags in it is refused. Nothing is ever fetched: external entities and declarations are
  not known, see --entities and --entity.

  --threads N divides files of 4 MiB or more between N threads, each with a buffer of its own, and
  deals smaller ones out to them. Answers and their order stay the same. What is no regular file or
  in another encoding than UTF-8, and queries for which `rpdt explain` says so, take one thread; a
  note on the standard error tells.

Exit codes:
  0 answers were found   1 there are none   2 an error in the query, the usage, a document
                                              or the output; the message is on the standard error

Examples:
  All names of people with an address:
      rpdt '//person[address]/name' site.xml --format text
  An early warning: a quake of 6.5 or more, followed by waves above 1 m, with temperatures:
      tail -f log.xml | rpdt '//station[temp!]/{quake[@mag>=6.5]!, wave[@h>1]!*}'
  Two queries in one pass over a compressed document:
      zcat big.xml.gz | rpdt -e '//bidder' -e '//seller' --format count
  Does a feed contain an entry with an enclosure?
      rpdt --first --format count '//item[enclosure]' feed.xml
  All documents of a folder on all processors:
      rpdt --threads 0 --format count '//person[address]' data/*.xml
  Names in a namespace:
      rpdt --ns a=http://www.w3.org/2005/Atom '//a:entry/a:title' feed.xml
  A picture of the automaton:
      rpdt explain '//a[b!]//c/{e!, d[f]*}' --dot | dot -Tsvg > automaton.svg";
