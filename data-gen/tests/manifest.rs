//! Files and the manifests beside them.

use data_gen::xml::{DblpOptions, XmarkOptions, XmlKind};
use data_gen::{Manifest, ManifestError, file};
use std::fs;
use std::path::Path;

fn small() -> XmlKind {
    XmlKind::Xmark(XmarkOptions::new(0.003))
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_manifest_is_written_read_back_and_verified() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("site.xml");
    let mut progress = 0;
    let written = file::generate(&path, &small(), 5, &mut |bytes| progress += bytes).unwrap();
    assert_eq!(progress, written.facts.bytes);
    assert_eq!(names(directory.path()), ["site.xml", "site.xml.manifest.json"]);
    let read = Manifest::read(&path).unwrap();
    assert_eq!(read, written);
    read.verify(&path).unwrap();
    assert!(read.describes(&small(), 5));
    assert!(!read.describes(&small(), 6));
    assert!(!read.describes(&XmlKind::Xmark(XmarkOptions::new(0.004)), 5));
    assert!(!read.describes(&XmlKind::Dblp(DblpOptions::new(5)), 5));

    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(Manifest::path_for(&path)).unwrap()).unwrap();
    let mut keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        [
            "attributes",
            "bytes",
            "depth_sum",
            "elements",
            "generator",
            "kind",
            "max_depth",
            "parameters",
            "seed",
            "sha256"
        ]
    );
    assert_eq!(json["kind"], "xmark");
    assert_eq!(json["parameters"]["factor"], 0.003);
    assert_eq!(json["bytes"], fs::metadata(&path).unwrap().len());
}

#[test]
fn a_changed_file_is_not_verified() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("site.xml");
    let manifest = file::generate(&path, &small(), 1, &mut |_| {}).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let error = manifest.verify(&path).unwrap_err();
    assert!(matches!(error, ManifestError::Hash { .. }), "{error}");
    bytes.pop();
    fs::write(&path, &bytes).unwrap();
    let error = manifest.verify(&path).unwrap_err();
    assert!(matches!(error, ManifestError::Length { .. }), "{error}");
    assert!(error.to_string().contains("site.xml"), "{error}");
    fs::remove_file(&path).unwrap();
    assert!(matches!(manifest.verify(&path), Err(ManifestError::Io { .. })));
}

#[test]
fn missing_and_malformed_manifests_are_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("site.xml");
    assert!(matches!(Manifest::read(&path), Err(ManifestError::Io { .. })));
    fs::write(Manifest::path_for(&path), "{\"kind\": 3}").unwrap();
    let error = Manifest::read(&path).unwrap_err();
    assert!(matches!(error, ManifestError::Format { .. }), "{error}");
    assert!(error.to_string().contains("site.xml.manifest.json"), "{error}");
}

#[test]
fn ensure_writes_only_what_is_not_there() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("site.xml");
    let mut written = 0;
    let mut ensure = |seed| {
        let manifest = file::ensure(&path, &small(), seed, &mut |bytes| written += bytes).unwrap();
        (manifest, std::mem::take(&mut written) > 0)
    };
    let (first, wrote) = ensure(1);
    assert!(wrote);
    let (again, wrote) = ensure(1);
    assert!(!wrote && again == first);
    let (other, wrote) = ensure(2);
    assert!(wrote && other.sha256 != first.sha256);
    fs::write(&path, "<site/>").unwrap();
    let (mended, wrote) = ensure(2);
    assert!(wrote && mended == other);
    mended.verify(&path).unwrap();
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("site.xml");
    let bad = XmlKind::Xmark(XmarkOptions::new(-1.0));
    let error = file::generate(&path, &bad, 1, &mut |_| {}).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    assert!(names(directory.path()).is_empty());

    let nowhere = directory.path().join("no/such/site.xml");
    let error = file::generate(&nowhere, &small(), 1, &mut |_| {}).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    assert!(error.to_string().contains("no/such/site.xml"), "{error}");

    let error = file::generate(directory.path(), &small(), 1, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("cannot write"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error_that_names_it() {
    let error = file::generate("/dev/full".as_ref(), &small(), 1, &mut |_| {}).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    assert!(error.to_string().starts_with("cannot write /dev/full: "), "{error}");
    assert!(!Path::new("/dev/full.manifest.json").exists());
}
