//! What of the jobs is on disk, so that they survive the end of the process: a redb database in the data directory.
//!
//! Everything is in memory too; the book is only read at the start. Each call is one durable transaction, about a
//! third of a millisecond where the disk is quick. A process may be killed at any moment: what a call has written is
//! there afterwards, all of it or nothing. Without a data directory the book is closed and takes nothing down.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use redb::backends::InMemoryBackend;
use redb::{Builder, Database, ReadableDatabase, ReadableTable, StorageBackend, TableDefinition};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::clock::{millis, now};
use super::{Answer, Order, Status, Trouble};

/// The file in the data directory.
const FILE: &str = "jobs.redb";

/// The file whose lock says that a server uses the directory.
const LOCK: &str = "lock";

/// What the entry `format` says. A program that writes anything else than this one does calls it otherwise.
const FORMAT: &str = "chessboard-solver jobs 1";

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

const META: TableDefinition<'_, &str, &str> = TableDefinition::new("meta");
const JOBS: TableDefinition<'_, u128, &[u8]> = TableDefinition::new("jobs");
const WORKS: TableDefinition<'_, u128, &[u8]> = TableDefinition::new("works");
const PARTS: TableDefinition<'_, (u128, u64), u64> = TableDefinition::new("parts");
const ANSWERS: TableDefinition<'_, u128, &str> = TableDefinition::new("answers");
const GONE: TableDefinition<'_, u128, u64> = TableDefinition::new("gone");

/// A job as it is written down.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct JobRecord {
    /// Its work.
    pub work: Uuid,
    /// The longest that it may take, in milliseconds.
    pub timeout: u64,
    /// When that is over, in milliseconds since 1970.
    pub until: u64,
    /// How it ended, if it has.
    pub end: Option<End>,
    /// The trace of the request that began it, for the log. (Earlier programs wrote none.)
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
}

impl JobRecord {
    /// The record of a job that begins now and may take so long.
    #[must_use]
    pub fn new(work: Uuid, time: Duration, trace_id: Option<String>) -> Self {
        let timeout = millis(time);
        Self { work, timeout, until: now().saturating_add(timeout), end: None, trace_id }
    }
}

/// How a job ended.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct End {
    /// Succeeded, failed or cancelled.
    pub status: Status,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// Why it failed.
    pub trouble: Option<Trouble>,
    /// Parts that were done.
    pub done: u64,
}

/// Work as it is written down.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct WorkRecord {
    /// What is to be done.
    pub order: Order,
    /// In how many parts, the last one not counted.
    pub parts: u64,
    /// The version of the program that divided it.
    pub version: String,
}

impl WorkRecord {
    /// The record of work that this program divides into so many parts.
    #[must_use]
    pub fn new(order: Order, parts: u64) -> Self {
        Self { order, parts, version: VERSION.to_owned() }
    }

    /// Whether this program divides work as the one that wrote the record did.
    #[must_use]
    pub fn is_of_this_version(&self) -> bool {
        self.version == VERSION
    }
}

/// All that a book says.
#[derive(Default, Debug)]
pub struct Contents {
    /// Every job.
    pub jobs: Vec<(Uuid, JobRecord)>,
    /// Every work that a job refers to.
    pub works: Vec<(Uuid, WorkRecord)>,
    /// The parts that are done of work that goes on, each with what it counted.
    pub parts: Vec<(Uuid, u64, u64)>,
    /// The answers of work that is done.
    pub answers: Vec<(Uuid, String)>,
    /// Jobs whose time to live is over, and since when.
    pub gone: Vec<(Uuid, u64)>,
}

/// A book, open or closed.
#[derive(Debug)]
pub struct Book(Option<Open>);

#[derive(Debug)]
struct Open {
    path: PathBuf,
    /// None after a failure, such as that of a full disk, until it is opened again.
    database: Mutex<Option<Database>>,
    /// Held as long as the book is open.
    _lock: File,
}

/// What went wrong with a book: a sentence for the log.
#[derive(Debug)]
pub struct BookError(String);

impl BookError {
    /// What stood in the way.
    pub(super) fn new(error: impl fmt::Display) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BookError {}

/// The many errors of redb say nothing that a caller could act upon.
fn failed(error: impl fmt::Display) -> BookError {
    BookError::new(error)
}

impl Book {
    /// A book that takes nothing down.
    #[must_use]
    pub const fn closed() -> Self {
        Self(None)
    }

    /// The book in this directory, which is made if it isn't there. Reads all of it once, to be sure that it is whole.
    ///
    /// # Errors
    /// When the directory can't be used, another server uses it, or the file in it is damaged or not such a book; the
    /// file is then as it was.
    pub fn open(directory: &Path) -> Result<Self, BookError> {
        let of = |what: &Path, error: &dyn fmt::Display| BookError(format!("{}: {error}", what.display()));
        fs::create_dir_all(directory).map_err(|error| of(directory, &error))?;
        let lock_path = directory.join(LOCK);
        let lock = File::options().create(true).truncate(false).write(true).open(&lock_path);
        let lock = lock.map_err(|error| of(&lock_path, &error))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                BookError(format!("{} is used by another server", directory.display()))
            }
            TryLockError::Error(error) => of(&lock_path, &error),
        })?;

        let path = directory.join(FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(of(&path, &error)),
        };
        // A file of no bytes is one that was never begun.
        if !bytes.is_empty() {
            inspect(bytes).map_err(|error| {
                BookError(format!(
                    "{} is damaged, or not a file of jobs of this version: {error}. It was left as it is. Move it \
                     away to start with none, or name another directory.",
                    path.display()
                ))
            })?;
        }
        let database = Mutex::new(Some(create(&path)?));
        let book = Self(Some(Open { path, database, _lock: lock }));
        book.write(|transaction| {
            transaction.open_table(META).map_err(failed)?.insert("format", FORMAT).map_err(failed)?;
            transaction.open_table(JOBS).map_err(failed)?;
            transaction.open_table(WORKS).map_err(failed)?;
            transaction.open_table(PARTS).map_err(failed)?;
            transaction.open_table(ANSWERS).map_err(failed)?;
            transaction.open_table(GONE).map_err(failed)?;
            Ok(())
        })?;
        Ok(book)
    }

    /// Everything that was taken down.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn contents(&self) -> Result<Contents, BookError> {
        match &self.0 {
            None => Ok(Contents::default()),
            Some(open) => open.with(contents),
        }
    }

    /// Takes down a new job, and its work if that is new.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn begin(
        &self,
        id: Uuid,
        job: &JobRecord,
        work: Option<(Uuid, &WorkRecord)>,
    ) -> Result<(), BookError> {
        self.write(|transaction| {
            if let Some((id, work)) = work {
                let mut works = transaction.open_table(WORKS).map_err(failed)?;
                works.insert(id.as_u128(), &*json(work)?).map_err(failed)?;
            }
            let mut jobs = transaction.open_table(JOBS).map_err(failed)?;
            jobs.insert(id.as_u128(), &*json(job)?).map_err(failed)?;
            Ok(())
        })
    }

    /// Takes down what a part counted.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn part(&self, work: Uuid, part: u64, counted: u64) -> Result<(), BookError> {
        self.write(|transaction| {
            let mut parts = transaction.open_table(PARTS).map_err(failed)?;
            parts.insert((work.as_u128(), part), counted).map_err(failed)?;
            Ok(())
        })
    }

    /// Takes down that work is divided anew and begins from the start.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn redo(&self, id: Uuid, work: &WorkRecord) -> Result<(), BookError> {
        self.write(|transaction| {
            drop_parts(transaction, id)?;
            let mut works = transaction.open_table(WORKS).map_err(failed)?;
            works.insert(id.as_u128(), &*json(work)?).map_err(failed)?;
            Ok(())
        })
    }

    /// Takes down the ends of jobs, and that their work is over, if it is, with its answer, if it has one.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn end(
        &self,
        jobs: &[(Uuid, JobRecord)],
        over: Option<(Uuid, Option<&Answer>)>,
    ) -> Result<(), BookError> {
        self.write(|transaction| {
            let mut table = transaction.open_table(JOBS).map_err(failed)?;
            for (id, job) in jobs {
                table.insert(id.as_u128(), &*json(job)?).map_err(failed)?;
            }
            if let Some((work, answer)) = over {
                drop_parts(transaction, work)?;
                if let Some(answer) = answer {
                    let mut answers = transaction.open_table(ANSWERS).map_err(failed)?;
                    answers.insert(work.as_u128(), &**answer).map_err(failed)?;
                }
            }
            Ok(())
        })
    }

    /// Forgets jobs, but for the fact that they were there and went at this time, and work that no job refers to.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn forget(&self, jobs: &[Uuid], works: &[Uuid], at: u64) -> Result<(), BookError> {
        self.write(|transaction| {
            let mut table = transaction.open_table(JOBS).map_err(failed)?;
            let mut gone = transaction.open_table(GONE).map_err(failed)?;
            for id in jobs {
                table.remove(id.as_u128()).map_err(failed)?;
                gone.insert(id.as_u128(), at).map_err(failed)?;
            }
            let mut table = transaction.open_table(WORKS).map_err(failed)?;
            let mut answers = transaction.open_table(ANSWERS).map_err(failed)?;
            for id in works {
                table.remove(id.as_u128()).map_err(failed)?;
                answers.remove(id.as_u128()).map_err(failed)?;
            }
            Ok(())
        })
    }

    /// Forgets even that these jobs were there.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn forget_gone(&self, jobs: &[Uuid]) -> Result<(), BookError> {
        self.write(|transaction| {
            let mut gone = transaction.open_table(GONE).map_err(failed)?;
            for id in jobs {
                gone.remove(id.as_u128()).map_err(failed)?;
            }
            Ok(())
        })
    }

    fn write(
        &self,
        write: impl FnOnce(&redb::WriteTransaction) -> Result<(), BookError>,
    ) -> Result<(), BookError> {
        let Some(open) = &self.0 else { return Ok(()) };
        open.with(|database| {
            let transaction = database.begin_write().map_err(failed)?;
            write(&transaction)?;
            transaction.commit().map_err(failed)
        })
    }
}

impl Open {
    /// Does something with the database. After a failure it is opened anew for the next time: what was not written then
    /// leaves no trace, and there may be room again.
    fn with<T>(&self, act: impl FnOnce(&Database) -> Result<T, BookError>) -> Result<T, BookError> {
        let mut place = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        let database = match place.take() {
            Some(database) => database,
            None => create(&self.path)?,
        };
        let result = act(&database);
        if result.is_ok() {
            *place = Some(database);
        }
        result
    }
}

fn drop_parts(transaction: &redb::WriteTransaction, work: Uuid) -> Result<(), BookError> {
    let mut parts = transaction.open_table(PARTS).map_err(failed)?;
    let of_work = (work.as_u128(), 0)..=(work.as_u128(), u64::MAX);
    parts.retain_in(of_work, |_, _| false).map_err(failed)
}

fn json(value: &impl Serialize) -> Result<Vec<u8>, BookError> {
    serde_json::to_vec(value).map_err(failed)
}

fn create(path: &PathBuf) -> Result<Database, BookError> {
    Builder::new().create(path).map_err(|error| BookError(format!("{}: {error}", path.display())))
}

/// Makes sure that these are the bytes of a whole book, on a copy in memory: opening the file itself might mend it.
fn inspect(bytes: Vec<u8>) -> Result<(), BookError> {
    // Not every damage is met with an error.
    catch_unwind(AssertUnwindSafe(|| {
        let copy = InMemoryBackend::new();
        copy.set_len(bytes.len() as u64).map_err(failed)?;
        copy.write(0, &bytes).map_err(failed)?;
        drop(bytes);
        let mut database = Builder::new().create_with_backend(copy).map_err(failed)?;
        if !database.check_integrity().map_err(failed)? {
            return Err(failed("its checksums don't agree"));
        }
        let read = database.begin_read().map_err(failed)?;
        let meta = read.open_table(META).map_err(failed)?;
        let format = meta.get("format").map_err(failed)?;
        match format.as_ref().map(redb::AccessGuard::value) {
            Some(FORMAT) => contents(&database).map(drop),
            Some(other) => Err(BookError(format!("its format is {other:?}, not {FORMAT:?}"))),
            None => Err(failed("it doesn't name its format")),
        }
    }))
    .unwrap_or_else(|_| Err(failed("it can't be read")))
}

fn contents(database: &Database) -> Result<Contents, BookError> {
    fn records<T: DeserializeOwned>(
        read: &redb::ReadTransaction,
        table: TableDefinition<'_, u128, &'static [u8]>,
    ) -> Result<Vec<(Uuid, T)>, BookError> {
        let table = read.open_table(table).map_err(failed)?;
        let entries = table.iter().map_err(failed)?;
        entries
            .map(|entry| {
                let (id, text) = entry.map_err(failed)?;
                let record = serde_json::from_slice(text.value()).map_err(failed)?;
                Ok((Uuid::from_u128(id.value()), record))
            })
            .collect()
    }

    let read = database.begin_read().map_err(failed)?;
    let mut contents =
        Contents { jobs: records(&read, JOBS)?, works: records(&read, WORKS)?, ..Contents::default() };
    for entry in read.open_table(PARTS).map_err(failed)?.iter().map_err(failed)? {
        let (key, counted) = entry.map_err(failed)?;
        let (work, part) = key.value();
        contents.parts.push((Uuid::from_u128(work), part, counted.value()));
    }
    for entry in read.open_table(ANSWERS).map_err(failed)?.iter().map_err(failed)? {
        let (work, answer) = entry.map_err(failed)?;
        contents.answers.push((Uuid::from_u128(work.value()), answer.value().to_owned()));
    }
    for entry in read.open_table(GONE).map_err(failed)?.iter().map_err(failed)? {
        let (id, at) = entry.map_err(failed)?;
        contents.gone.push((Uuid::from_u128(id.value()), at.value()));
    }
    Ok(contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(work: Uuid) -> JobRecord {
        JobRecord { work, timeout: 1_000, until: 2_000, end: None, trace_id: None }
    }

    fn work() -> WorkRecord {
        WorkRecord::new(Order { puzzle: "queens".to_owned(), request: "{\"size\":8}".to_owned() }, 3)
    }

    /// A directory with a book of one job, of which one part is done.
    fn written() -> (tempfile::TempDir, Uuid, Uuid) {
        let directory = tempfile::tempdir().unwrap();
        let (id, of) = (Uuid::new_v4(), Uuid::new_v4());
        let book = Book::open(directory.path()).unwrap();
        book.begin(id, &job(of), Some((of, &work()))).unwrap();
        book.part(of, 1, 42).unwrap();
        (directory, id, of)
    }

    #[test]
    fn what_was_taken_down_is_there_when_the_book_is_opened_again() {
        let (directory, id, of) = written();
        let contents = Book::open(directory.path()).unwrap().contents().unwrap();
        assert_eq!(contents.jobs, [(id, job(of))]);
        assert_eq!(contents.works, [(of, work())]);
        assert_eq!(contents.parts, [(of, 1, 42)]);
    }

    #[test]
    fn an_end_keeps_the_answer_and_drops_the_parts_and_in_time_everything_goes() {
        let (directory, id, of) = written();
        let book = Book::open(directory.path()).unwrap();
        let end = End { status: Status::Succeeded, at: 5, trouble: None, done: 4 };
        let ended = JobRecord { end: Some(end), ..job(of) };
        book.end(&[(id, ended.clone())], Some((of, Some(&Answer::from("{}"))))).unwrap();
        let contents = book.contents().unwrap();
        assert_eq!(contents.jobs, [(id, ended)]);
        assert_eq!(contents.answers, [(of, "{}".to_owned())]);
        assert!(contents.parts.is_empty());

        book.forget(&[id], &[of], 7).unwrap();
        let contents = book.contents().unwrap();
        assert!(contents.jobs.is_empty() && contents.works.is_empty() && contents.answers.is_empty());
        assert_eq!(contents.gone, [(id, 7)]);
        book.forget_gone(&[id]).unwrap();
        assert!(book.contents().unwrap().gone.is_empty());
    }

    #[test]
    fn a_directory_serves_one_server_at_a_time() {
        let (directory, ..) = written();
        let book = Book::open(directory.path()).unwrap();
        let error = Book::open(directory.path()).unwrap_err().to_string();
        assert!(error.contains("used by another server"), "{error}");
        drop(book);
        Book::open(directory.path()).unwrap();
    }

    #[test]
    fn a_damaged_or_foreign_file_is_refused_and_left_as_it_is() {
        let (directory, ..) = written();
        let path = directory.path().join(FILE);
        let whole = fs::read(&path).unwrap();
        let mut cases = vec![b"something else".to_vec(), whole[..whole.len() / 2].to_vec(), vec![0; 8192]];
        // A page of zeros in each place where there is something else.
        for start in
            (0..whole.len()).step_by(4096).filter(|&at| whole[at..].iter().take(64).any(|&byte| byte != 0))
        {
            let mut damaged = whole.clone();
            damaged[start..start + 64].fill(0);
            cases.push(damaged);
        }
        assert!(cases.len() > 5, "{}", cases.len());
        for damaged in cases {
            fs::write(&path, &damaged).unwrap();
            match Book::open(directory.path()) {
                Err(error) => {
                    assert!(error.to_string().contains("left as it is"), "{error}");
                    assert_eq!(fs::read(&path).unwrap(), damaged);
                }
                // What isn't in use any more may be damaged.
                Ok(book) => assert_eq!(book.contents().unwrap().parts.len(), 1),
            }
        }
    }

    #[test]
    fn a_database_of_another_program_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        let other = Database::create(&path).unwrap();
        let transaction = other.begin_write().unwrap();
        transaction.open_table(TableDefinition::<&str, u64>::new("birds")).unwrap().insert("owl", 3).unwrap();
        transaction.commit().unwrap();
        drop(other);
        let before = fs::read(&path).unwrap();
        let error = Book::open(directory.path()).unwrap_err().to_string();
        assert!(error.contains("jobs.redb is damaged, or not a file of jobs"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}
