//! Files of streams: the same bytes everywhere, and their manifests.

use data_gen::format::Format;
use data_gen::stream::{
    ClickOptions, GaussianOptions, KeyOptions, LetterOptions, RfidOptions, RouteOptions,
    SensorOptions, StockOptions, StreamFile, StreamKind, TrafficOptions, UniformOptions,
};
use data_gen::{DataSet, Manifest, ManifestError, StreamManifest, file};
use std::fs;
use std::io::{self, Write};

fn traffic() -> StreamKind {
    let mut options = TrafficOptions::new(24);
    (options.cameras, options.vehicles) = (30, 400);
    StreamKind::Traffic(options)
}

fn kinds() -> [StreamKind; 10] {
    [
        StreamKind::Stock(StockOptions::new(5000)),
        StreamKind::Clicks(ClickOptions::new(5000)),
        StreamKind::Sensors(SensorOptions::new(5000)),
        StreamKind::Letters(LetterOptions::uniform(5000, 5, 50)),
        StreamKind::Keys(KeyOptions::new(5000, 20, 300)),
        StreamKind::Rfid(RfidOptions::new(5000)),
        StreamKind::Routes(RouteOptions::new(5000)),
        StreamKind::Uniform(UniformOptions::new(5000)),
        StreamKind::Gaussian(GaussianOptions::new(5000)),
        traffic(),
    ]
}

fn files() -> impl Iterator<Item = StreamFile> {
    let of = |kind: StreamKind| {
        [Format::Csv, Format::Jsonl].map(|format| StreamFile::new(kind.clone(), format))
    };
    kinds().into_iter().flat_map(of)
}

fn bytes(file: &StreamFile, seed: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.generate(seed, &mut bytes).unwrap();
    bytes
}

/// Made on x86-64 Linux. A change here changes the data of everybody: raise the crate's version.
const GOLDEN: [&str; 20] = [
    "stock csv d3f17d398913fad39cbcdd662a6c3743487908184e03b43ddd2e9b92e6200b40",
    "stock jsonl a60f18ae5f1cef0cd8b1cfb97540db2cb1447f742702d217e76a5626dc29a67c",
    "clicks csv 9a6829557822a7334d2f367627ad1506c8f16951c602ce5ff0ad3fb80644dfa1",
    "clicks jsonl 968ae9839267ec2ea523c9a70180f9a85ad5369f5b8b2d2486e78d3c0efea40a",
    "sensors csv ab9bd21a4db0ddf61aeb78f64358ab6b938eabbbd74b13b963a4fd75de0a533b",
    "sensors jsonl 6bc31ca50aee725a4ac8154ddd141f95260087c5f8016d42398eb06b4167db14",
    "letters csv 555dccacbc2f20881567145f457729d3a8cec87f54804f7c0ef6d24c1d918de8",
    "letters jsonl 1ca33eaebafa16329e65bccf9fc8db1d9f43a699dc0ed5188aa67279a4991b22",
    "keys csv 5288dbb7efd9f2ed31f532e234bce582be1d89f7f45846508eb9a42af849f443",
    "keys jsonl b6613e5c1e349ef3efc9940487249e63a728588dfe4ddaa133233d15ae08f182",
    "rfid csv 832571add40a9fe0ff66e9674e51bbe3509c5f8bd2f63bd3f71b4100ea4b2fa3",
    "rfid jsonl 29528ce2af1fe20f2f222977c28b645cde74901cd5a2ba40b72709fb6608022d",
    "routes csv 8dfe3aeb62286f6a6991d8f46925758750dbbf286f3de5f242d195f0ba538bcc",
    "routes jsonl f44a7d7152fa04476293bdc274e75f6342e9fe62eae2358680a32eda2f1e70af",
    "uniform csv 7f2dabb23e450ba43261f1577feb49761612ac595de4ea87b416327ddc7613ad",
    "uniform jsonl 9ad555dccf0fbee893353f7819269f4defe0559383867fb9de996ef1b69a3e1e",
    "gaussian csv 32d704b11c49207c33081863ae131dcea80362afd97bf7cfab7cecb8176657cd",
    "gaussian jsonl e3617c911dc1c835a3a4ccfe33ad03f24abdb43600251daee4929989cd8eefa5",
    "traffic csv 0d4b65cdb079db16f817c2bd9f0fd1e00994cafaa33b20243c2a0109c2b801e6",
    "traffic jsonl 995e67501ec346f08d89be5571124a237c7623b8709c9cd1b221ae5210c890f3",
];

#[test]
fn bytes_are_the_same_on_all_platforms() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("stream");
    let mut found = Vec::new();
    for file in files() {
        let manifest = file::generate(&path, &file, 1, &mut |_| {}).unwrap();
        found.push(format!("{} {} {}", file.name(), file.format, manifest.sha256));
    }
    assert_eq!(found, GOLDEN);
}

#[test]
fn seeds_differ_and_threads_do_not() {
    for file in files() {
        let here = bytes(&file, 7);
        assert!(here != bytes(&file, 8), "{file:?} takes no notice of its seed");
        let threads: Vec<Vec<u8>> = std::thread::scope(|scope| {
            let started: Vec<_> = (0..4).map(|_| scope.spawn(|| bytes(&file, 7))).collect();
            started.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(threads.iter().all(|there| *there == here), "{file:?}");
    }
}

#[test]
fn longer_streams_begin_as_shorter_ones() {
    for format in [Format::Csv, Format::Jsonl] {
        for (short, long) in [
            (StreamKind::Stock(StockOptions::new(50)), StreamKind::Stock(StockOptions::new(99))),
            (StreamKind::Clicks(ClickOptions::new(50)), StreamKind::Clicks(ClickOptions::new(99))),
            (StreamKind::Rfid(RfidOptions::new(50)), StreamKind::Rfid(RfidOptions::new(99))),
            (StreamKind::Routes(RouteOptions::new(50)), StreamKind::Routes(RouteOptions::new(99))),
            (
                StreamKind::Gaussian(GaussianOptions::new(50)),
                StreamKind::Gaussian(GaussianOptions::new(99)),
            ),
        ] {
            let short = bytes(&StreamFile::new(short, format), 3);
            assert!(bytes(&StreamFile::new(long, format), 3).starts_with(&short));
        }
    }
}

#[test]
fn a_manifest_is_written_read_back_and_verified() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events");
    for file in files() {
        let mut progress = 0;
        let written = file::generate(&path, &file, 5, &mut |bytes| progress += bytes).unwrap();
        assert_eq!(progress, written.facts.bytes);
        // How many rows traffic has follows from its hours.
        assert!(written.facts.events == 5000 || file.name() == "traffic");
        let about = file.expected_bytes() as f64 / written.facts.bytes as f64;
        assert!((0.7..1.4).contains(&about), "{}: {about}", file.name());
        let read = StreamManifest::read(&path).unwrap();
        assert_eq!(read, written);
        read.verify(&path).unwrap();
        assert!(read.describes(&file, 5) && !read.describes(&file, 6));
        assert_eq!(files().filter(|other| read.describes(other, 5)).count(), 1);
        assert_eq!(read.parameters["format"], file.format.name());
        // An XML document's manifest is another one.
        assert!(matches!(Manifest::read(&path), Err(ManifestError::Format { .. })));

        let again = file::ensure(&path, &file, 5, &mut |_| panic!("it is there")).unwrap();
        assert_eq!(again, written);
        fs::write(&path, "type,time\n").unwrap();
        assert_eq!(file::ensure(&path, &file, 5, &mut |_| {}).unwrap(), written);
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
    for format in [Format::Csv, Format::Jsonl] {
        let file = StreamFile::new(StreamKind::Stock(StockOptions::new(50_000)), format);
        let whole = bytes(&file, 1);
        let mut narrow = Narrow { taken: Vec::new(), limit: usize::MAX };
        file.generate(1, &mut narrow).unwrap();
        assert!(narrow.taken == whole);
        let mut full = Narrow { taken: Vec::new(), limit: 300_000 };
        let error = file.generate(1, &mut full).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(full.taken == whole[..300_000]);
    }
}
