//! [`Files`] and [`Memory`] do the same.

use ujoin::storage::{Files, Memory, Storage};

fn contents(storage: &dyn Storage, name: &str) -> Vec<u8> {
    let file = storage.open(name).unwrap();
    let mut bytes = vec![0; file.size().unwrap() as usize + 5];
    let mut at = 0;
    loop {
        match file.read_at(at as u64, &mut bytes[at..]).unwrap() {
            0 => break,
            n => at += n,
        }
    }
    bytes.truncate(at);
    bytes
}

#[test]
fn files_and_memory_agree() {
    let directory = tempfile::tempdir().unwrap();
    let storages: [Box<dyn Storage>; 2] =
        [Box::new(Files::open(directory.path().join("a/b")).unwrap()), Box::new(Memory::new())];
    for s in storages {
        let s = &*s;
        let mut file = s.create("one").unwrap();
        file.write_all(b"hello").unwrap();
        file.sync().unwrap();
        drop(file);
        let mut file = s.append("one").unwrap();
        file.write_all(b", world").unwrap();
        drop(file);
        s.append("two").unwrap().write_all(b"2").unwrap();
        assert_eq!(contents(s, "one"), b"hello, world");
        s.truncate("one", 5).unwrap();
        assert_eq!(contents(s, "one"), b"hello");
        let cut = s.truncate("one", 6).unwrap_err();
        assert_eq!(cut.kind(), std::io::ErrorKind::UnexpectedEof);
        s.append("one").unwrap().write_all(b"!").unwrap();
        s.rename("one", "two").unwrap();
        assert_eq!(contents(s, "two"), b"hello!");
        s.sync_dir().unwrap();
        assert_eq!(s.list().unwrap(), ["two"]);
        assert_eq!(s.open("two").unwrap().read_at(99, &mut [0; 4]).unwrap(), 0);
        drop(s.create("two").unwrap());
        assert_eq!(contents(s, "two"), b"");
        s.remove("two").unwrap();
        for e in [
            s.open("two").err(),
            s.remove("two").err(),
            s.rename("two", "one").err(),
            s.truncate("two", 0).err(),
        ] {
            assert_eq!(e.unwrap().kind(), std::io::ErrorKind::NotFound);
        }
        assert_eq!(s.list().unwrap(), Vec::<String>::new());
    }
}

#[test]
fn a_temporary_directory_goes_with_its_last_clone() {
    let files = Files::temporary().unwrap();
    let other = Files::temporary().unwrap();
    assert_ne!(files.directory(), other.directory());
    let path = files.directory().to_owned();
    files.create("x").unwrap().write_all(b"x").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
    }
    let clone = files.clone();
    drop(files);
    assert_eq!(contents(&clone, "x"), b"x");
    drop(clone);
    assert!(!path.exists());
}
