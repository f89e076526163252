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

#[cfg(unix)]
#[test]
fn what_killed_processes_have_left_goes_with_the_next_temporary_directory() {
    let parent = tempfile::tempdir().unwrap();
    let names = || {
        let mut names: Vec<_> = std::fs::read_dir(parent.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let path = |name: &str| parent.path().join(name);
    let make = |name: &str| std::fs::create_dir(path(name)).unwrap();
    // Left over: with files, and empty.
    make("ujoin-spill-999999999-0");
    std::fs::write(path("ujoin-spill-999999999-0").join("0000000000000002.segment"), b"x").unwrap();
    make("ujoin-spill-999999999-1");
    // Not ours.
    let others = ["ujoin-spill", "ujoin-spill-1", "ujoin-spill-1-x", "ujoin-spill-1-2-3", "x-1-2"];
    others.iter().for_each(|name| make(name));
    std::fs::write(path("ujoin-spill-7-7"), b"a file").unwrap();
    make("elsewhere");
    std::os::unix::fs::symlink(path("elsewhere"), path("ujoin-spill-8-8")).unwrap();
    let before = names();

    let files = Files::temporary_in(parent.path()).unwrap();
    let name = files.directory().file_name().unwrap().to_str().unwrap().to_owned();
    let expected = |with: &[&str]| {
        let is_left = |name: &&String| !name.starts_with("ujoin-spill-999999999-");
        let mut names: Vec<String> = before.iter().filter(is_left).cloned().collect();
        names.extend(with.iter().map(|&name| name.to_owned()));
        names.sort();
        names
    };
    assert_eq!(names(), expected(&[&name]));

    // One that is in use stays.
    let other = Files::temporary_in(parent.path()).unwrap();
    let second = other.directory().file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(names(), expected(&[&name, &second]));
    drop((files, other));
    assert_eq!(names(), expected(&[]));
}
