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

/// A [`Storage`] that is a directory of the file system.
#[derive(Clone, Debug)]
pub struct Files {
    directory: PathBuf,
    /// Of a temporary one; removes it with the last clone.
    temporary: Option<Arc<Temporary>>,
}

#[derive(Debug)]
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // There is nobody to tell; what is left lies in the system's directory for such things.
        let _ = fs::remove_dir_all(&self.0);
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

    /// A new directory among the system's temporary ones, readable by this user only, that is removed
    /// when the last clone is dropped.
    ///
    /// # Errors
    /// Whatever the system reports.
    pub fn temporary() -> io::Result<Files> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let parent = std::env::temp_dir();
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let directory = parent.join(format!("ujoin-{}-{number}", std::process::id()));
            match private_directory(&directory) {
                Ok(()) => {
                    let temporary = Some(Arc::new(Temporary(directory.clone())));
                    return Ok(Files { directory, temporary });
                }
                // Left by a killed process that had our number.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }

    /// Where it is.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }
}

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
