//! Takes parts from the broker and does them, one at a time on each thread.
//!
//! While a part is being done the broker is told so again and again; if that stops, it gives the part to somebody else.
//! A result is written *before* the part is acknowledged, and only if there is none yet: a part that was done twice
//! counts once. What fails is tried again a few times, by whoever takes it, and then the work is given up, with the part
//! and its error.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use async_nats::jetstream::AckKind;
use async_nats::jetstream::Message;
use async_nats::jetstream::kv::{CreateErrorKind, Operation};
use bytes::Bytes;
use futures_util::StreamExt;
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::link::{Broker, Link, MAX_DELIVER};
use super::records::{Failed, WorkEntry, end_work, parse_subject, read, subject, work_key, write_answer};
use crate::engine::jobs::book::End;
use crate::engine::jobs::clock::now;
use crate::engine::jobs::task::{Done, Step, attempt, divide};
use crate::engine::jobs::{Reader, Status, Task, Trouble};
use crate::engine::priority::step_back;
use crate::puzzles::CancelFlag;

/// How long one request for a part waits at the broker.
const EXPIRES: Duration = Duration::from_secs(1);

/// The pause after something failed that should not.
const REST: Duration = Duration::from_millis(300);

/// The most work whose tasks are kept at hand.
const MOST_KNOWN: usize = 256;

/// The threads that do parts.
#[derive(Debug)]
pub struct Workers {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    watch: tokio::task::JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    link: Arc<Link>,
    reader: Reader,
    known: Mutex<HashMap<Uuid, Arc<Known>>>,
    stopping: AtomicBool,
}

/// Work of which a part has come by.
#[derive(Default, Debug)]
struct Known {
    cancel: CancelFlag,
    /// The task, or why there is none here.
    task: tokio::sync::OnceCell<Result<Arc<dyn Task>, String>>,
}

/// What becomes of a message.
#[derive(Debug)]
enum Fate {
    /// It is done with.
    Acknowledge,
    /// Somebody else shall have it, at once.
    GiveBack,
    /// It has failed.
    Failed(Trouble, String),
}

impl Workers {
    /// Starts so many threads.
    ///
    /// # Errors
    /// When the system has no room for them.
    pub fn start(link: &Arc<Link>, reader: Reader, threads: usize) -> Result<Self, String> {
        let shared = Arc::new(Shared {
            link: Arc::clone(link),
            reader,
            known: Mutex::default(),
            stopping: AtomicBool::new(false),
        });
        let runtime = Handle::current();
        let labour = |_| {
            let (shared, runtime) = (Arc::clone(&shared), runtime.clone());
            thread::Builder::new().name("worker".to_owned()).spawn(move || shared.labour(&runtime))
        };
        let handles: Result<Vec<_>, _> = (0..threads).map(labour).collect();
        let handles = handles.map_err(|error| format!("cannot start a thread: {error}"))?;
        let watch = tokio::spawn(Arc::clone(&shared).watch());
        Ok(Self { shared, threads: Mutex::new(handles), watch })
    }

    /// Gives back what is half done, and stops.
    pub async fn stop(&self) {
        self.shared.stopping.store(true, Ordering::Relaxed);
        for known in self.shared.known().values() {
            known.cancel.cancel();
        }
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        let joined =
            tokio::task::spawn_blocking(move || threads.into_iter().all(|thread| thread.join().is_ok()));
        // A broker that is away can hold a thread up; its parts are given to others in time.
        match timeout(Duration::from_secs(5), joined).await {
            Ok(Ok(true)) => {}
            Ok(_) => tracing::error!("a worker thread panicked"),
            Err(_) => tracing::warn!("a worker thread could not give its part back"),
        }
        self.watch.abort();
        self.shared.link.close().await;
    }
}

impl Shared {
    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<Uuid, Arc<Known>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Does parts until the end.
    fn labour(&self, runtime: &Handle) {
        step_back();
        while !self.is_stopping() {
            let broker = runtime.block_on(async { timeout(EXPIRES, self.link.broker()).await });
            let Ok(broker) = broker else { continue };
            match runtime.block_on(next(&broker)) {
                Ok(None) => {}
                Ok(Some(message)) => {
                    let message = Arc::new(message);
                    let beat = runtime.spawn(beat(Arc::clone(&message), self.link.ack_wait() / 3));
                    tracing::debug!(part = %message.subject, "taken");
                    let fate = self.handle(runtime, &broker, &message);
                    tracing::debug!(part = %message.subject, ?fate, "done");
                    // Until here: then the part is somebody else's affair.
                    beat.abort();
                    runtime.block_on(self.conclude(&broker, &message, fate));
                }
                Err(error) => {
                    tracing::warn!(%error, "could not take a part");
                    self.link.doubt(&broker);
                    thread::sleep(REST);
                }
            }
        }
    }

    fn handle(&self, runtime: &Handle, broker: &Arc<Broker>, message: &Message) -> Fate {
        let Some((work, part)) = parse_subject(&message.subject) else {
            tracing::warn!(subject = %message.subject, "a part that makes no sense was thrown away");
            return Fate::Acknowledge;
        };
        let known = self.know(work);
        if self.is_stopping() {
            return Fate::GiveBack;
        }
        let task = match runtime.block_on(self.task(broker, work, part, &known)) {
            Ok(Some(task)) => task,
            Ok(None) => return Fate::Acknowledge,
            Err(error) => return Fate::Failed(Trouble::Bug, error),
        };
        let step = match part {
            Some(part) => Step::Count(part),
            None => {
                Step::Finish(std::str::from_utf8(&message.payload).ok().and_then(|text| text.parse().ok()))
            }
        };
        let written = match attempt(&*task, step, &known.cancel) {
            Done::Counted(counted) => {
                let key = format!("{work}.{}", part.unwrap_or_default());
                runtime.block_on(self.write_count(broker, &key, counted))
            }
            Done::Answer(answer) => runtime.block_on(self.insist(async || {
                write_answer(broker, work, &answer).await?;
                let record = read::<WorkEntry>(&broker.jobs, &work_key(work)).await?;
                let done = record.map_or(0, |(entry, _)| entry.record.parts) + 1;
                let end = End { status: Status::Succeeded, at: now(), trouble: None, done };
                end_work(broker, work, end, None).await.map(drop)
            })),
            Done::Interrupted if self.is_stopping() => return Fate::GiveBack,
            Done::Interrupted => true,
            Done::Trouble(trouble, what) => return Fate::Failed(trouble, what),
        };
        if written { Fate::Acknowledge } else { Fate::GiveBack }
    }

    /// The entry for this work, new if it wasn't known.
    fn know(&self, work: Uuid) -> Arc<Known> {
        let mut known = self.known();
        if known.len() >= MOST_KNOWN && !known.contains_key(&work) {
            // Those that nobody works on can be read again.
            known.retain(|_, other| Arc::strong_count(other) > 1);
        }
        Arc::clone(known.entry(work).or_default())
    }

    /// The task of this work, unless the work or this part of it is over.
    async fn task(
        &self,
        broker: &Broker,
        work: Uuid,
        part: Option<u64>,
        known: &Known,
    ) -> Result<Option<Arc<dyn Task>>, String> {
        let entry = read::<WorkEntry>(&broker.jobs, &work_key(work)).await.map_err(|Failed(error)| error)?;
        let Some((entry, _)) = entry else { return Ok(None) };
        if entry.end.is_some() {
            return Ok(None);
        }
        if let Some(part) = part {
            let done = broker.results.get(format!("{work}.{part}")).await;
            if done.map_err(|error| error.to_string())?.is_some() {
                return Ok(None);
            }
        }
        let task = known.task.get_or_init(async || {
            // It needn't succeed: it only tells whoever asks that somebody has begun.
            let _ = broker.results.create(format!("{work}.begun"), Bytes::new()).await;
            let reader = self.reader.clone();
            let understood = tokio::task::spawn_blocking(move || understand(&reader, &entry));
            understood.await.map_err(|error| error.to_string()).flatten()
        });
        task.await.clone().map(Some)
    }

    async fn write_count(&self, broker: &Broker, key: &str, counted: u64) -> bool {
        self.insist(async || {
            match broker.results.create(key, Bytes::from(counted.to_string())).await {
                Ok(_) => Ok(()),
                // Somebody was quicker; it counted the same.
                Err(error) if error.kind() == CreateErrorKind::AlreadyExists => Ok(()),
                Err(error) => Err(Failed::at(key, error)),
            }
        })
        .await
    }

    /// Tries to write until it succeeds, or this worker stops. Returns whether it did.
    async fn insist(&self, write: impl AsyncFn() -> Result<(), Failed>) -> bool {
        loop {
            match write().await {
                Ok(()) => return true,
                Err(Failed(error)) if self.is_stopping() => {
                    tracing::warn!(error, "a result could not be written, and is lost");
                    return false;
                }
                Err(Failed(error)) => {
                    tracing::warn!(error, "a result could not be written yet");
                    sleep(REST).await;
                }
            }
        }
    }

    /// Tells the broker what becomes of a message. If that fails, the message comes again.
    async fn conclude(&self, broker: &Broker, message: &Message, fate: Fate) {
        let told = match fate {
            Fate::Acknowledge => message.double_ack().await,
            Fate::GiveBack => give_back(broker, message).await,
            Fate::Failed(trouble, what) => self.fail(broker, message, trouble, what).await,
        };
        if let Err(error) = told {
            tracing::debug!(error, "the broker could not be told about a part");
        }
    }

    /// Lets a part that failed be tried again, unless it was the last time.
    async fn fail(
        &self,
        broker: &Broker,
        message: &Message,
        trouble: Trouble,
        what: String,
    ) -> Result<(), async_nats::Error> {
        let delivered = message.info()?.delivered;
        tracing::error!(part = %message.subject, delivered, what, "a part failed");
        // More of the same would fail in the same way: only a bug may be this machine's alone.
        if delivered < MAX_DELIVER && trouble == Trouble::Bug {
            let pause = self.link.ack_wait() / 10;
            return message.ack_with(AckKind::Nak(Some(pause))).await;
        }
        if let Some((work, _)) = parse_subject(&message.subject) {
            let end = End { status: Status::Failed, at: now(), trouble: Some(trouble), done: 0 };
            let error = format!("{}: {what}", message.subject);
            let ended = end_work(broker, work, end, Some(error)).await;
            ended.map_err(|Failed(error)| error)?;
        }
        message.ack_with(AckKind::Term).await
    }

    /// Hears of work that has ended, and stops those who do it.
    async fn watch(self: Arc<Self>) {
        loop {
            let broker = self.link.broker().await;
            match broker.jobs.watch_with_history("work.*").await {
                Ok(mut changes) => {
                    while let Some(Ok(entry)) = changes.next().await {
                        let id = entry.key.strip_prefix("work.").and_then(|id| id.parse().ok());
                        let goes_on = entry.operation == Operation::Put
                            && serde_json::from_slice::<WorkEntry>(&entry.value)
                                .is_ok_and(|work| work.end.is_none());
                        if let Some(id) = id.filter(|_| !goes_on)
                            && let Some(known) = self.known().remove(&id)
                        {
                            known.cancel.cancel();
                        }
                    }
                }
                Err(error) => tracing::warn!(%error, "could not watch the work"),
            }
            self.link.doubt(&broker);
            sleep(REST).await;
        }
    }
}

/// Waits a while for a part.
async fn next(broker: &Broker) -> Result<Option<Message>, async_nats::Error> {
    let mut batch = broker.parts.batch().max_messages(1).expires(EXPIRES).messages().await?;
    batch.next().await.transpose()
}

/// Tells the broker at this interval that the part is being done.
async fn beat(message: Arc<Message>, interval: Duration) {
    loop {
        sleep(interval).await;
        if let Err(error) = message.ack_with(AckKind::Progress).await {
            tracing::debug!(error, "the broker could not be told that a part goes on");
        }
    }
}

/// Puts a part in again as a new one, so that it isn't counted as one that failed.
async fn give_back(broker: &Broker, message: &Message) -> Result<(), async_nats::Error> {
    // There is room for one message of this part only. Should this process end in between, those who look after the
    // work will miss the part, and put it in again.
    message.double_ack().await?;
    let part = parse_subject(&message.subject);
    let Some((work, part)) = part else { return Ok(()) };
    broker.context.publish(subject(work, part), message.payload.clone()).await?.await?;
    Ok(())
}

/// The task of this work, if this program divides it as the one did that began it.
fn understand(reader: &Reader, entry: &WorkEntry) -> Result<Arc<dyn Task>, String> {
    let record = &entry.record;
    if !record.is_of_this_version() {
        let own = env!("CARGO_PKG_VERSION");
        return Err(format!("the work is of version {}, this worker of {own}", record.version));
    }
    let task = reader.read(&record.order)?;
    // Work that was left whole by a machine that was too slow to divide it has no parts at all.
    let parts = if record.parts == 0 { 0 } else { divide(&*task) };
    if parts != record.parts {
        return Err(format!("the work has {} parts, here it would have {parts}", record.parts));
    }
    Ok(task)
}
