//! SQLite in memory, standing in for TimesTen: the paper's Algorithm 2 for the uncertain join,
//! **reconstructed**.
//!
//! The paper's listing is lost. Its text says that two tables suffice, `local` and `illegal`, whatever
//! the number of streams; that new tuples are first filtered by the threshold and then looked up in the
//! whole table by an index over the plates; and that expiry scans everything once in an interval. So, for
//! each tuple:
//!
//! 1. below the threshold it is dropped;
//! 2. when an interval has passed, what has left the window is deleted from `local`;
//! 3. its partners are inserted into `illegal`;
//! 4. it is inserted into `local`.
//!
//! Two set-ups. *Plain*: two indexes, over the key and over the time; every statement commits on its
//! own. *Tuned*: `local` is its own index (`WITHOUT ROWID`, by key, time and number), and all is one
//! transaction. Neither writes to disk nor keeps a journal; statements are compiled once. Probabilities
//! are whole billionths, so that products are exact and both find what the engines find. The streams
//! must be in order, and the travel time is the same between any two, as in all of the paper's figures.

use rusqlite::{Connection, Statement, params};
use ujoin::{Product, Tuple};

/// How the tables are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Two indexes, every statement a transaction.
    Plain,
    /// The table is its index, all is one transaction.
    Tuned,
}

/// What is joined.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// The least probability of a result.
    pub threshold: Product,
    /// The travel time between any two streams, in ticks.
    pub limit: i64,
    /// The time between two deletions of what has left the window, in ticks.
    pub interval: i64,
}

/// A row of `illegal`: the numbers of both tuples and the probability in units of 1e-18.
pub type Illegal = (u64, u64, u64);

const PLAIN: &str = "
    CREATE TABLE local (
        id INTEGER, observation INTEGER, key INTEGER, s INTEGER, ts INTEGER, p INTEGER
    );
    CREATE INDEX local_key ON local (key);
    CREATE INDEX local_ts ON local (ts);
";

const TUNED: &str = "
    CREATE TABLE local (
        key INTEGER, ts INTEGER, id INTEGER, s INTEGER, observation INTEGER, p INTEGER,
        PRIMARY KEY (key, ts, id)
    ) WITHOUT ROWID;
";

const ILLEGAL: &str = "CREATE TABLE illegal (a INTEGER, b INTEGER, p INTEGER);";

const PARTNERS: &str = "
    INSERT INTO illegal
    SELECT id, ?1, p * ?2 FROM local
    WHERE key = ?3 AND ts > ?4 AND s <> ?5 AND observation <> ?6 AND p * ?2 >= ?7
";

const KEEP: &str = "
    INSERT INTO local (id, observation, key, s, ts, p) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
";

const EXPIRE: &str = "DELETE FROM local WHERE ts <= ?1";

/// Numbers that the database keeps as signed ones.
fn signed(number: u64) -> i64 {
    number.cast_signed()
}

/// A database that has not seen a tuple.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
    layout: Layout,
    job: Job,
}

/// The statements of one tuple.
struct Prepared<'c> {
    partners: Statement<'c>,
    keep: Statement<'c>,
    expire: Statement<'c>,
}

impl Database {
    /// Makes the tables.
    ///
    /// # Errors
    /// What the database reports.
    pub fn new(layout: Layout, job: Job) -> rusqlite::Result<Self> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")?;
        connection.execute_batch(match layout {
            Layout::Plain => PLAIN,
            Layout::Tuned => TUNED,
        })?;
        connection.execute_batch(ILLEGAL)?;
        Ok(Self { connection, layout, job })
    }

    /// Joins all tuples, which are in the order of time and of `seq`; the number of results.
    ///
    /// # Errors
    /// What the database reports.
    pub fn run(&mut self, tuples: &[Tuple]) -> rusqlite::Result<u64> {
        let Self { connection, layout, job } = self;
        if *layout == Layout::Tuned {
            connection.execute_batch("BEGIN")?;
        }
        let mut statements = Prepared {
            partners: connection.prepare(PARTNERS)?,
            keep: connection.prepare(KEEP)?,
            expire: connection.prepare(EXPIRE)?,
        };
        let mut due = tuples.first().map_or(i64::MAX, |first| first.time + job.interval);
        for tuple in tuples {
            if Product::from(tuple.probability) < job.threshold {
                continue;
            }
            if tuple.time >= due {
                statements.expire.execute([tuple.time - job.limit])?;
                due = tuple.time + job.interval;
            }
            statements.add(tuple, job)?;
        }
        drop(statements);
        if *layout == Layout::Tuned {
            connection.execute_batch("COMMIT")?;
        }
        connection.query_row("SELECT count(*) FROM illegal", [], |row| row.get(0)).map(
            // A count is never negative.
            |count: i64| count.unsigned_abs(),
        )
    }

    /// All results so far, sorted by the number of the later tuple, then of the earlier one.
    ///
    /// # Errors
    /// What the database reports.
    pub fn illegal(&self) -> rusqlite::Result<Vec<Illegal>> {
        let mut select = self.connection.prepare("SELECT a, b, p FROM illegal ORDER BY b, a")?;
        let rows = select.query_map([], |row| {
            let number = |column| row.get(column).map(i64::cast_unsigned);
            Ok((number(0)?, number(1)?, number(2)?))
        })?;
        rows.collect()
    }

    /// The tuples that are stored now.
    ///
    /// # Errors
    /// What the database reports.
    pub fn stored(&self) -> rusqlite::Result<u64> {
        let count = |row: &rusqlite::Row<'_>| row.get(0).map(i64::unsigned_abs);
        self.connection.query_row("SELECT count(*) FROM local", [], count)
    }
}

impl Prepared<'_> {
    fn add(&mut self, tuple: &Tuple, job: &Job) -> rusqlite::Result<()> {
        let (id, observation) = (signed(tuple.seq), signed(tuple.observation));
        let (key, p) = (signed(tuple.key), tuple.probability.nanos());
        let threshold = signed(job.threshold.units());
        self.partners.execute(params![
            id,
            p,
            key,
            tuple.time - job.limit,
            tuple.stream,
            observation,
            threshold
        ])?;
        self.keep.execute(params![id, observation, key, tuple.stream, tuple.time, p])?;
        Ok(())
    }
}
