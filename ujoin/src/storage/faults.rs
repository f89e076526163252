//! A disk that fails on command, for tests.
//!
//! [`SimulatedDisk`] is a [`Storage`] in memory that knows which bytes and names are durable. Every
//! call that touches the disk, reading included, counts as one operation. A [`Plan`] makes one of them, or all from one on, fail;
//! [`crash`](SimulatedDisk::crash) takes away what was not durable, or part of it.
//!
//! To try every failure, run with `Plan::at(1, ..)`, `Plan::at(2, ..)` and so on until
//! [`failures`](SimulatedDisk::failures) stays at zero:
//!
//! ```
//! use std::sync::Arc;
//! use ujoin::storage::faults::{Fault, Plan, SimulatedDisk};
//! use ujoin::storage::SegmentStore;
//!
//! let mut tried = 0;
//! for operation in 1.. {
//!     let disk = SimulatedDisk::new();
//!     disk.plan(Some(Plan::at(operation, Fault::NoSpace)));
//!     let store = SegmentStore::open(Arc::new(disk.clone()), 1)?;
//!     // ... use the store ...
//!     # let _ = store.retire(&[]);
//!     if disk.failures() == 0 {
//!         break;
//!     }
//!     tried += 1;
//! }
//! # let _ = tried;
//! # Ok::<(), ujoin::storage::StorageError>(())
//! ```

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::memory::Held;
use super::{ReadFile, Storage, StorageLock, WriteFile};

/// How an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// A write takes only half of the bytes and says so, which is no error; other calls succeed.
    ShortWrite,
    /// A write takes half of the bytes, then the disk is full. Creating a file fails. Other calls
    /// succeed.
    NoSpace,
    /// A sync fails, of a file or of the directory. What a file had unsynced is lost, although it can
    /// still be read, and syncing again reports success: what Linux does. Other calls succeed.
    Sync,
    /// Any call fails with an input/output error and does nothing; a write may have taken half.
    Io,
    /// The power goes: this call and all after it fail until [`crash`](SimulatedDisk::crash).
    PowerCut,
}

/// Which operation fails, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The first one that fails, from 1.
    pub operation: u64,
    /// How.
    pub fault: Fault,
    /// Whether all operations from there on fail like this.
    pub lasting: bool,
}

impl Plan {
    /// One operation fails; if the fault does not apply to it, the next to which it does.
    #[must_use]
    pub fn at(operation: u64, fault: Fault) -> Plan {
        Plan { operation, fault, lasting: false }
    }

    /// All operations from this one on fail, as far as the fault applies to them.
    #[must_use]
    pub fn from(operation: u64, fault: Fault) -> Plan {
        Plan { operation, fault, lasting: true }
    }
}

/// What a crash leaves of what was not durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Crash {
    /// Nothing.
    Lose,
    /// All of it: the system got round to writing it.
    Keep,
    /// By this seed: of the changes of names a beginning; of each file's unsynced bytes a beginning,
    /// whose last bytes may be garbage.
    Tear(u64),
}

#[derive(Debug, Default)]
struct Contents {
    bytes: Vec<u8>,
    /// How many of the bytes are durable.
    durable: usize,
    /// A failed sync dropped the bytes from here on from the cache: they never become durable.
    dropped: Option<usize>,
}

type Inode = Arc<Mutex<Contents>>;

#[derive(Clone, Debug)]
enum Change {
    Set(String, Inode),
    Remove(String),
    Rename(String, String),
}

#[derive(Debug, Default)]
struct Disk {
    names: BTreeMap<String, Inode>,
    durable_names: BTreeMap<String, Inode>,
    /// Changes of names since the directory was last synced.
    changes: Vec<Change>,
    plan: Option<Plan>,
    operations: u64,
    failures: u64,
    dead: bool,
}

/// A [`Storage`] that fails on command. Clones share the disk.
#[derive(Clone, Debug, Default)]
pub struct SimulatedDisk {
    disk: Arc<Mutex<Disk>>,
    locked: Arc<AtomicBool>,
}

/// What an operation is to do.
enum Verdict {
    Succeed,
    /// A write takes half and reports that; the next one fails if an error is given.
    Half(Option<io::Error>),
    Fail(io::Error),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Call {
    Write,
    Create,
    Sync,
    Other,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn io_error() -> io::Error {
    io::Error::other("simulated input/output error")
}

fn no_space() -> io::Error {
    io::Error::new(io::ErrorKind::StorageFull, "simulated: no space left on the disk")
}

impl Disk {
    /// Counts an operation and says how it goes.
    fn operation(&mut self, call: Call) -> Verdict {
        self.operations += 1;
        if self.dead {
            return Verdict::Fail(io_error());
        }
        let Some(plan) = self.plan.filter(|p| p.operation <= self.operations) else {
            return Verdict::Succeed;
        };
        let verdict = match (plan.fault, call) {
            (Fault::ShortWrite, Call::Write) => Verdict::Half(None),
            (Fault::NoSpace, Call::Write) => Verdict::Half(Some(no_space())),
            (Fault::NoSpace, Call::Create) => Verdict::Fail(no_space()),
            (Fault::Io | Fault::PowerCut, Call::Write) => Verdict::Half(Some(io_error())),
            (Fault::Sync, Call::Sync) | (Fault::Io | Fault::PowerCut, _) => {
                Verdict::Fail(io_error())
            }
            _ => return Verdict::Succeed,
        };
        self.failures += 1;
        self.dead = plan.fault == Fault::PowerCut;
        if !plan.lasting {
            self.plan = None;
        }
        verdict
    }

    /// For calls that either happen or do not.
    fn whole(&mut self, call: Call) -> io::Result<()> {
        match self.operation(call) {
            Verdict::Succeed | Verdict::Half(None) => Ok(()),
            Verdict::Half(Some(e)) | Verdict::Fail(e) => Err(e),
        }
    }
}

fn apply(names: &mut BTreeMap<String, Inode>, change: &Change) {
    match change {
        Change::Set(name, inode) => {
            names.insert(name.clone(), inode.clone());
        }
        Change::Remove(name) => {
            names.remove(name);
        }
        Change::Rename(from, to) => {
            if let Some(inode) = names.remove(from) {
                names.insert(to.clone(), inode);
            }
        }
    }
}

impl SimulatedDisk {
    /// An empty disk that does not fail.
    #[must_use]
    pub fn new() -> SimulatedDisk {
        SimulatedDisk::default()
    }

    /// Sets what fails, and counts operations and failures from zero.
    pub fn plan(&self, plan: Option<Plan>) {
        let mut disk = lock(&self.disk);
        disk.plan = plan;
        disk.operations = 0;
        disk.failures = 0;
    }

    /// Operations since the plan was set.
    #[must_use]
    pub fn operations(&self) -> u64 {
        lock(&self.disk).operations
    }

    /// How many operations have failed by plan since it was set.
    #[must_use]
    pub fn failures(&self) -> u64 {
        lock(&self.disk).failures
    }

    /// The process or the machine dies and comes back: what was not durable is gone or torn, locks
    /// are free, nothing fails any more. Files that are still open keep writing to where nobody
    /// looks.
    pub fn crash(&self, crash: Crash) {
        let mut disk = lock(&self.disk);
        let mut random = match crash {
            Crash::Tear(seed) => seed,
            Crash::Lose | Crash::Keep => 0,
        };
        let mut below = |n: usize| {
            // SplitMix64.
            random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = random;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) % (n as u64 + 1)) as usize
        };
        let changes = std::mem::take(&mut disk.changes);
        let kept = match crash {
            Crash::Lose => 0,
            Crash::Keep => changes.len(),
            Crash::Tear(_) => below(changes.len()),
        };
        let mut names = std::mem::take(&mut disk.durable_names);
        changes[..kept].iter().for_each(|change| apply(&mut names, change));
        for inode in names.values_mut() {
            let mut contents = {
                let old = lock(inode);
                let reachable = old.dropped.unwrap_or(old.bytes.len()).max(old.durable);
                let end = match crash {
                    Crash::Lose => old.durable,
                    Crash::Keep => reachable,
                    Crash::Tear(_) => old.durable + below(reachable - old.durable),
                };
                let mut bytes = old.bytes[..end].to_vec();
                if matches!(crash, Crash::Tear(_)) && below(1) == 1 {
                    let garbage = below((end - old.durable).min(512));
                    let byte = below(255) as u8;
                    bytes[end - garbage..].fill(byte);
                }
                Contents { bytes, durable: end, dropped: None }
            };
            contents.bytes.shrink_to_fit();
            *inode = Arc::new(Mutex::new(contents));
        }
        disk.names = names.clone();
        disk.durable_names = names;
        disk.plan = None;
        disk.dead = false;
        self.locked.store(false, Ordering::Release);
    }

    /// The contents of a file.
    #[must_use]
    pub fn contents(&self, name: &str) -> Option<Vec<u8>> {
        lock(&self.disk).names.get(name).map(|inode| lock(inode).bytes.clone())
    }

    /// Puts a durable file there.
    pub fn put(&self, name: &str, bytes: Vec<u8>) {
        let durable = bytes.len();
        let inode = Arc::new(Mutex::new(Contents { bytes, durable, dropped: None }));
        let mut disk = lock(&self.disk);
        disk.names.insert(name.to_owned(), inode.clone());
        disk.durable_names.insert(name.to_owned(), inode);
    }

    fn writer(&self, inode: Inode) -> Box<dyn WriteFile> {
        Box::new(Writer { disk: self.disk.clone(), inode, next: None })
    }
}

impl Storage for SimulatedDisk {
    fn create(&self, name: &str) -> io::Result<Box<dyn WriteFile>> {
        let mut disk = lock(&self.disk);
        disk.whole(Call::Create)?;
        let inode = Inode::default();
        disk.names.insert(name.to_owned(), inode.clone());
        disk.changes.push(Change::Set(name.to_owned(), inode.clone()));
        Ok(self.writer(inode))
    }

    fn append(&self, name: &str) -> io::Result<Box<dyn WriteFile>> {
        let mut disk = lock(&self.disk);
        disk.whole(Call::Create)?;
        if let Some(inode) = disk.names.get(name) {
            return Ok(self.writer(inode.clone()));
        }
        let inode = Inode::default();
        disk.names.insert(name.to_owned(), inode.clone());
        disk.changes.push(Change::Set(name.to_owned(), inode.clone()));
        Ok(self.writer(inode))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn ReadFile>> {
        let mut disk = lock(&self.disk);
        disk.whole(Call::Other)?;
        let inode = disk.names.get(name).ok_or(io::ErrorKind::NotFound)?.clone();
        Ok(Box::new(Reader { disk: self.disk.clone(), inode }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut disk = lock(&self.disk);
        disk.whole(Call::Other)?;
        if !disk.names.contains_key(from) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let change = Change::Rename(from.to_owned(), to.to_owned());
        apply(&mut disk.names, &change);
        disk.changes.push(change);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut disk = lock(&self.disk);
        disk.whole(Call::Other)?;
        if disk.names.remove(name).is_none() {
            return Err(io::ErrorKind::NotFound.into());
        }
        disk.changes.push(Change::Remove(name.to_owned()));
        Ok(())
    }

    fn truncate(&self, name: &str, bytes: u64) -> io::Result<()> {
        let mut disk = lock(&self.disk);
        disk.whole(Call::Sync)?;
        let inode = disk.names.get(name).ok_or(io::ErrorKind::NotFound)?;
        let mut contents = lock(inode);
        match usize::try_from(bytes) {
            Ok(n) if n <= contents.bytes.len() => contents.bytes.truncate(n),
            _ => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
        contents.durable = contents.dropped.unwrap_or(usize::MAX).min(contents.bytes.len());
        Ok(())
    }

    fn sync_dir(&self) -> io::Result<()> {
        let mut disk = lock(&self.disk);
        disk.whole(Call::Sync)?;
        disk.changes.clear();
        disk.durable_names = disk.names.clone();
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut disk = lock(&self.disk);
        disk.whole(Call::Other)?;
        Ok(disk.names.keys().cloned().collect())
    }

    fn lock(&self) -> io::Result<StorageLock> {
        lock(&self.disk).whole(Call::Other)?;
        if self.locked.swap(true, Ordering::AcqRel) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(StorageLock::new(Held(self.locked.clone())))
    }

    fn place(&self) -> String {
        "simulated disk".to_owned()
    }
}

struct Writer {
    disk: Arc<Mutex<Disk>>,
    inode: Inode,
    /// The error that follows a write which took half.
    next: Option<io::Error>,
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(e) = self.next.take() {
            return Err(e);
        }
        if bytes.is_empty() {
            return Ok(0);
        }
        let n = match lock(&self.disk).operation(Call::Write) {
            Verdict::Succeed => bytes.len(),
            Verdict::Fail(e) => return Err(e),
            Verdict::Half(None) => bytes.len().div_ceil(2),
            Verdict::Half(Some(e)) if bytes.len() == 1 => return Err(e),
            Verdict::Half(Some(e)) => {
                self.next = Some(e);
                bytes.len() / 2
            }
        };
        lock(&self.inode).bytes.extend_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WriteFile for Writer {
    fn sync(&mut self) -> io::Result<()> {
        let result = lock(&self.disk).whole(Call::Sync);
        let mut contents = lock(&self.inode);
        match result {
            Ok(()) => {
                contents.durable = contents.dropped.unwrap_or(contents.bytes.len());
            }
            Err(_) if contents.durable < contents.bytes.len() => {
                let durable = contents.durable;
                contents.dropped.get_or_insert(durable);
            }
            Err(_) => {}
        }
        result
    }
}

struct Reader {
    disk: Arc<Mutex<Disk>>,
    inode: Inode,
}

impl ReadFile for Reader {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        lock(&self.disk).whole(Call::Other)?;
        let contents = lock(&self.inode);
        let rest = usize::try_from(offset).ok().and_then(|o| contents.bytes.get(o..));
        let rest = rest.unwrap_or(&[]);
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(lock(&self.inode).bytes.len() as u64)
    }
}
