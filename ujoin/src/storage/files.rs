//! A real directory.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{ReadFile, Storage, StorageLock, WriteFile};

/// The file whose lock stands for the directory. It stays when the lock is given back: removing it
/// would let a third process lock a new file of this name while a second holds the old one.
const LOCK: &str = "LOCK";

/// How the names of temporary directories begin.
const TEMPORARY: &str = "ujoin-spill-";

/// A [`Storage`] that is a directory of the file system.
#[derive(Clone, Debug)]
pub struct Files {
    directory: PathBuf,
    /// Of a temporary one; removes it with the last clone.
    temporary: Option<Arc<Temporary>>,
}

/// A directory that goes with its last user. Its lock tells other processes that there is one.
#[derive(Debug)]
struct Temporary {
    directory: PathBuf,
    _lock: Option<File>,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // There is nobody to tell; what is left goes when the next one is made.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

impl Files {
    /// A directory, created with its parents if there is none.
    ///
    /// # Errors
    /// Whatever the system reports.
    pub fn open(directory: impl AsRef<Path>) -> io::Result<Files> {
        let directory = directory.as_ref();
        fs::create_dir_all(directory)?;
        Ok(Files { directory: directory.to_owned(), temporary: None })
    }

    /// A directory that must exist already when it is used.
    #[must_use]
    pub fn at(directory: impl AsRef<Path>) -> Files {
        Files { directory: directory.as_ref().to_owned(), temporary: None }
    }

    /// A new directory among the system's temporary ones, `ujoin-spill-PROCESS-NUMBER`, readable by
    /// this user only, that is removed when the last clone is dropped. Those that killed processes of
    /// this user have left are removed now.
    ///
    /// # Errors
    /// Whatever the system reports.
    pub fn temporary() -> io::Result<Files> {
        Files::temporary_in(std::env::temp_dir())
    }

    /// As [`temporary`](Files::temporary), in a directory of the caller's choice.
    ///
    /// # Errors
    /// Whatever the system reports.
    pub fn temporary_in(parent: impl AsRef<Path>) -> io::Result<Files> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let parent = parent.as_ref();
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let directory = parent.join(format!("{TEMPORARY}{}-{number}", std::process::id()));
            match private_directory(&directory) {
                Ok(()) => {}
                // Of a killed process that had our number.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(e),
            }
            let lock = match take(&directory) {
                // Whoever tidies up took it before it was locked.
                Ok(None) => continue,
                Ok(lock) => lock,
                // Where directories cannot be locked, nobody takes them for left over.
                Err(_) => None,
            };
            if let Some(lock) = &lock {
                remove_left_over(parent, lock);
            }
            let temporary = Temporary { directory: directory.clone(), _lock: lock };
            return Ok(Files { directory, temporary: Some(Arc::new(temporary)) });
        }
    }

    /// Where it is.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }
}

/// Locks a temporary directory; `None` if another has it, or has removed it.
#[cfg(unix)]
fn take(directory: &Path) -> io::Result<Option<File>> {
    use std::os::unix::fs::MetadataExt;
    let is_gone = |e: &io::Error| e.kind() == io::ErrorKind::NotFound;
    let file = match File::open(directory) {
        Ok(file) => file,
        Err(e) if is_gone(&e) => return Ok(None),
        Err(e) => return Err(e),
    };
    match fs4::FileExt::try_lock(&file) {
        Ok(()) => {}
        Err(fs4::TryLockError::WouldBlock) => return Ok(None),
        Err(fs4::TryLockError::Error(e)) => return Err(e),
    }
    // The name may have come to stand for another directory meanwhile, or for a link to one.
    match fs::symlink_metadata(directory) {
        Ok(now) => {
            let locked = file.metadata()?;
            Ok(((now.dev(), now.ino()) == (locked.dev(), locked.ino())).then_some(file))
        }
        Err(e) if is_gone(&e) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Removes the temporary directories of processes that were killed: those that belong to the owner
/// of `ours` and that nobody has locked.
#[cfg(unix)]
fn remove_left_over(parent: &Path, ours: &File) {
    use std::os::unix::fs::MetadataExt;
    let Ok(user) = ours.metadata().map(|metadata| metadata.uid()) else { return };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = |name: &str| {
            let numbers = name.strip_prefix(TEMPORARY).and_then(|name| name.split_once('-'));
            let is_number = |text: &str| text.parse::<u64>().is_ok();
            numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
        };
        if !name.to_str().is_some_and(is_ours) {
            continue;
        }
        // What cannot be read or removed is left for another time: it is nobody's hindrance.
        let path = entry.path();
        let is_own = fs::symlink_metadata(&path).is_ok_and(|at| at.is_dir() && at.uid() == user);
        if is_own && let Ok(Some(lock)) = take(&path) {
            let _ = fs::remove_dir_all(&path);
            drop(lock);
        }
    }
}

/// Other systems do not lock directories; there what a killed process leaves stays.
#[cfg(not(unix))]
fn take(_: &Path) -> io::Result<Option<File>> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
fn remove_left_over(_: &Path, _: &File) {}

#[cfg(unix)]
fn private_directory(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
fn private_directory(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

impl Storage for Files {
    fn create(&self, name: &str) -> io::Result<Box<dyn WriteFile>> {
        Ok(Box::new(Writer(File::create(self.directory.join(name))?)))
    }

    fn append(&self, name: &str) -> io::Result<Box<dyn WriteFile>> {
        let path = self.directory.join(name);
        Ok(Box::new(Writer(OpenOptions::new().append(true).create(true).open(path)?)))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn ReadFile>> {
        Ok(Box::new(Reader(File::open(self.directory.join(name))?)))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.directory.join(from), self.directory.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.directory.join(name))
    }

    fn truncate(&self, name: &str, bytes: u64) -> io::Result<()> {
        let file = OpenOptions::new().write(true).open(self.directory.join(name))?;
        if file.metadata()?.len() < bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        file.set_len(bytes)?;
        file.sync_all()
    }

    #[cfg(unix)]
    fn sync_dir(&self) -> io::Result<()> {
        File::open(&self.directory)?.sync_all()
    }

    // Other systems cannot open a directory as a file, and journal its changes themselves.
    #[cfg(not(unix))]
    fn sync_dir(&self) -> io::Result<()> {
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            // A name that is no text is none of ours.
            if let Ok(name) = entry?.file_name().into_string() {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn lock(&self) -> io::Result<StorageLock> {
        let path = self.directory.join(LOCK);
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        // The system's lock ends with the process, so one that was killed leaves no obstacle.
        match fs4::FileExt::try_lock(&file) {
            Ok(()) => Ok(StorageLock::new(file)),
            Err(fs4::TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
            Err(fs4::TryLockError::Error(e)) => Err(e),
        }
    }

    fn place(&self) -> String {
        self.directory.display().to_string()
    }

    fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }
}

struct Writer(File);

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WriteFile for Writer {
    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }
}

struct Reader(File);

impl ReadFile for Reader {
    #[cfg(unix)]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.0, buffer, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(&self.0, buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }
}
