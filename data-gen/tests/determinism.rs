//! The same seed gives the same bytes: pinned hashes of small documents of every kind.
//!
//! A change of these hashes is a change of everybody's data: raise the crate's version with it.

use data_gen::xml::{
    DblpOptions, RandomTreeOptions, Shape, TreebankOptions, XmarkOptions, XmlKind,
};
use sha2::{Digest, Sha256};
use std::io::{self, Write};

fn kinds() -> Vec<(XmlKind, &'static str)> {
    let mut plain = DblpOptions::new(500);
    plain.entities = false;
    let tree = |shape, elements| {
        let mut options = RandomTreeOptions::new(shape);
        options.elements = elements;
        options.text_bytes = 1000;
        options.attributes_each = 50;
        XmlKind::RandomTree(options)
    };
    vec![
        (
            XmlKind::Xmark(XmarkOptions::new(0.005)),
            "4b1d2ee2919b58b64373ccfc0d4310c4ce093bd507941daae87ee497d3ccea47",
        ),
        (
            XmlKind::Dblp(DblpOptions::new(500)),
            "251bb07dc93a9f4044744b87935d328efd685c0ac588838a690164523448f9a5",
        ),
        (XmlKind::Dblp(plain), "857eda17da740b32e89241a1c023818891b935a79467a28719b3ff8231b52a23"),
        (
            XmlKind::Treebank(TreebankOptions::new(200)),
            "8aa5beec01cc35626f03860427da19b0c5c3584016050f1ec74e3292d88c5855",
        ),
        (
            tree(Shape::Random, 2000),
            "b1d1b09c7c48356e3f95bc6d6d051064059bc81a8d5d78c71a8082c3e386449a",
        ),
        (
            tree(Shape::Deep, 2000),
            "d21f6edb84c69d5c65658466bb72648257e6dac6a3fc851930bc16d186e1790e",
        ),
        (
            tree(Shape::Wide, 100),
            "ef6a2a70ac33754f6437629e7d86b263065b732d11491ef1da7d71b9db3da6ea",
        ),
        (
            tree(Shape::LongText, 2),
            "702c4e644cbcf2a5a4c96ed00e38e85bfa18f60bfd75632b96e7766ab5e211ca",
        ),
        (
            tree(Shape::ManyAttributes, 20),
            "080481b68161c432011494f034f5237cf68d6fe527f3eb965ad8999ebe7d64d7",
        ),
    ]
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn document(kind: &XmlKind, seed: u64) -> Vec<u8> {
    let mut document = Vec::new();
    kind.generate(seed, &mut document).unwrap();
    document
}

#[test]
fn small_documents_have_pinned_hashes() {
    let mut changed = Vec::new();
    for (kind, pinned) in kinds() {
        let found = hash(&document(&kind, 1));
        if found != pinned {
            changed.push(format!("{kind:?}\n  {pinned} -> {found}"));
        }
    }
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

#[test]
fn seeds_differ_and_threads_do_not() {
    for (kind, _) in kinds() {
        let here = document(&kind, 7);
        assert!(here != document(&kind, 8), "{kind:?} takes no notice of its seed");
        let threads: Vec<Vec<u8>> = std::thread::scope(|scope| {
            let started: Vec<_> = (0..4).map(|_| scope.spawn(|| document(&kind, 7))).collect();
            started.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(threads.iter().all(|there| *there == here), "{kind:?}");
    }
}

/// Takes a few bytes at a time, and none after a limit.
struct Narrow {
    taken: Vec<u8>,
    limit: usize,
}

impl Write for Narrow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(4097).min(self.limit - self.taken.len());
        if n == 0 {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "full"));
        }
        self.taken.extend_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn short_writes_lose_nothing_and_errors_arrive() {
    for kind in [
        XmlKind::Xmark(XmarkOptions::new(0.01)),
        XmlKind::Dblp(DblpOptions::new(3000)),
        XmlKind::Treebank(TreebankOptions::new(800)),
        XmlKind::RandomTree({
            let mut options = RandomTreeOptions::new(Shape::Wide);
            options.elements = 5000;
            options
        }),
    ] {
        let whole = document(&kind, 1);
        let mut narrow = Narrow { taken: Vec::new(), limit: usize::MAX };
        kind.generate(1, &mut narrow).unwrap();
        assert!(narrow.taken == whole);
        let mut full = Narrow { taken: Vec::new(), limit: 300_000 };
        let error = kind.generate(1, &mut full).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(full.taken == whole[..300_000]);
    }
}
