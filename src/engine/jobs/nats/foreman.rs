//! Looks after the work that goes on: puts its parts in, a few ahead of those that are being done, adds up what they
//! count, has the answer made of the sum, and ends what nobody wants or what takes too long.
//!
//! Every server does this for all work, and none needs the others: a part that is put in twice is there once, a result
//! that is added up in two places is the same in both. As only a few parts of each piece of work are waiting at a time,
//! workers find those of all work side by side, and a short job isn't stuck behind a long one.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::kv::{Entry, Operation};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::RawMessageErrorKind;
use bytes::Bytes;
use futures_util::StreamExt;
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep};
use uuid::Uuid;

use super::link::{Broker, Link, SHARDS, WORKERS};
use super::records::{
    Claim, Failed, WorkEntry, alter, end_work, job_key, order_key, parse_subject, read, subject, work_key,
};
use crate::engine::jobs::book::{End, JobRecord};
use crate::engine::jobs::clock::{Pace, now};
use crate::engine::jobs::{Census, Limits, Progress, Status, Trouble};

/// How often work is looked after when nothing happens.
const ROUND: Duration = Duration::from_millis(200);

/// The parts that are waiting or being done when nobody is known to work.
const AHEAD: usize = 8;

/// Work of at most so many parts is put in as a whole: they are short, and would wait in line again and again.
const FEW: u64 = 64;

/// How many rounds in which somebody waits and nobody works show that the parts that are there can't be had any more:
/// longer than the request for a part of a worker that is gone is remembered.
const QUIET_ROUNDS: u32 = 10;

/// After how many rounds parts are looked for that nobody has any more.
const SEARCH_ROUNDS: u32 = 25;

/// The pause after something failed that should not.
const REST: Duration = Duration::from_millis(300);

/// What is known about the jobs and the work of all servers.
#[derive(Debug)]
pub struct Foreman {
    link: Arc<Link>,
    limits: Limits,
    state: Mutex<State>,
    /// Tells that a job or work has ended.
    ends: watch::Sender<()>,
    /// Parts of all work that were seen being done.
    parts_done: Arc<AtomicU64>,
}

#[derive(Default, Debug)]
struct State {
    works: HashMap<Uuid, Arc<Tracked>>,
    /// Every job, and when it was put in, as the broker counts.
    jobs: HashMap<Uuid, (JobRecord, u64)>,
    /// How the work of jobs ended, as long as any of them is there.
    work_ends: HashMap<Uuid, Status>,
    /// Jobs that were seen to end.
    ended: [u64; Status::ALL.len()],
}

/// Work that goes on.
#[derive(Debug)]
pub struct Tracked {
    parts: u64,
    done: AtomicU64,
    /// The count of parts of all work.
    done_by_all: Arc<AtomicU64>,
    begun: AtomicBool,
    pace: Mutex<Option<Pace>>,
    over: watch::Sender<bool>,
}

impl Tracked {
    /// How far the work is, and whether it has begun.
    pub fn progress(&self) -> (Progress, bool) {
        let done = self.done.load(Ordering::Relaxed);
        let pace = *self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        let seconds_left = pace.and_then(|pace| pace.seconds_left(done as usize, self.parts as usize));
        let progress = Progress { done, total: self.parts + 1, seconds_left };
        (progress, self.begun.load(Ordering::Relaxed))
    }

    fn begin(&self) {
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        pace.get_or_insert_with(|| Pace::start(self.done.load(Ordering::Relaxed) as usize));
        self.begun.store(true, Ordering::Relaxed);
    }
}

impl State {
    /// Where a job stands.
    fn status(&self, job: &JobRecord) -> Status {
        match (job.end, self.works.get(&job.work), self.work_ends.get(&job.work)) {
            (Some(end), _, _) => end.status,
            (None, Some(work), _) if work.begun.load(Ordering::Relaxed) => Status::Running,
            (None, Some(_), _) => Status::Queued,
            (None, None, Some(end)) => *end,
            // Its work has been cleared away, or isn't known yet.
            (None, None, None) => Status::Queued,
        }
    }

    /// Counts the end of a job that went on, if this is one.
    fn note_end(&mut self, id: Uuid, job: &JobRecord) {
        let went_on = self.jobs.get(&id).is_some_and(|(before, _)| before.end.is_none());
        if let Some(end) = job.end.filter(|_| went_on && self.works.contains_key(&job.work)) {
            self.ended[end.status as usize] += 1;
        }
    }

    /// Counts the ends of the jobs of work that went on and now ends in this way.
    fn note_work_end(&mut self, work: Uuid, end: Status) {
        let jobs = self.jobs.values().filter(|(job, _)| job.work == work);
        let (of_all, going_on) = (jobs.clone().count(), jobs.filter(|(job, _)| job.end.is_none()).count());
        if of_all > 0 {
            self.work_ends.insert(work, end);
        }
        if self.works.contains_key(&work) {
            self.ended[end as usize] += going_on as u64;
        }
    }

    fn forget(&mut self, id: Uuid) {
        if let Some((job, _)) = self.jobs.remove(&id)
            && !self.jobs.values().any(|(other, _)| other.work == job.work)
        {
            self.work_ends.remove(&job.work);
        }
    }

    fn census(&self) -> Census {
        let left = |work: &Arc<Tracked>| work.parts + 1 - work.done.load(Ordering::Relaxed).min(work.parts);
        let parts_left = self.works.values().map(left).sum();
        let mut census = Census { ended: self.ended, parts_left, ..Census::default() };
        for (job, _) in self.jobs.values() {
            census.jobs[self.status(job) as usize] += 1;
        }
        census
    }
}

impl Foreman {
    /// Starts to look after the work.
    pub fn start(link: &Arc<Link>, limits: Limits) -> Arc<Self> {
        let foreman = Arc::new(Self {
            link: Arc::clone(link),
            limits,
            state: Mutex::default(),
            ends: watch::Sender::new(()),
            parts_done: Arc::default(),
        });
        tokio::spawn(Arc::clone(&foreman).watch());
        tokio::spawn(Arc::clone(&foreman).keep());
        tokio::spawn(Arc::clone(&foreman).listen());
        foreman
    }

    /// The work that goes on under this id.
    pub fn tracked(&self, work: Uuid) -> Option<Arc<Tracked>> {
        self.state().works.get(&work).cloned()
    }

    /// Whether there are as many jobs as there may be.
    pub fn is_full(&self) -> bool {
        let state = self.state();
        let alive = |(job, _): &&(JobRecord, u64)| job.end.is_none() && state.works.contains_key(&job.work);
        state.jobs.values().filter(alive).count() >= self.limits.queue
    }

    /// How many jobs there are.
    pub fn census(&self) -> Census {
        Census { parts_done: self.parts_done.load(Ordering::Relaxed), ..self.state().census() }
    }

    /// Tells of every end.
    pub fn ends(&self) -> watch::Receiver<()> {
        self.ends.subscribe()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears of every change to jobs and work.
    async fn watch(self: Arc<Self>) {
        loop {
            let broker = self.link.broker().await;
            match broker.jobs.watch_with_history(">").await {
                Ok(mut changes) => {
                    while let Some(Ok(entry)) = changes.next().await {
                        self.hear(&entry);
                    }
                }
                Err(error) => tracing::warn!(%error, "could not watch the jobs"),
            }
            self.link.doubt(&broker);
            sleep(REST).await;
        }
    }

    fn hear(self: &Arc<Self>, entry: &Entry) {
        let Some((kind, id)) = entry.key.split_once('.') else { return };
        let Ok(id) = id.parse::<Uuid>() else { return };
        let is_there = entry.operation == Operation::Put;
        match kind {
            "job" => {
                let job = serde_json::from_slice::<JobRecord>(&entry.value).ok().filter(|_| is_there);
                let mut state = self.state();
                match job {
                    Some(job) => {
                        state.note_end(id, &job);
                        let since = state.jobs.get(&id).map_or(entry.revision, |(_, since)| *since);
                        state.jobs.insert(id, (job, since));
                    }
                    None => state.forget(id),
                }
                drop(state);
                self.ends.send_replace(());
            }
            "work" => {
                let work = serde_json::from_slice::<WorkEntry>(&entry.value).ok().filter(|_| is_there);
                match work {
                    Some(work) if work.end.is_none() => self.track(id, &work),
                    work => self.drop_work(id, work.and_then(|work| work.end).map(|end| end.status)),
                }
            }
            _ => {}
        }
    }

    /// Looks no longer after this work, which may have ended in this way.
    fn drop_work(&self, id: Uuid, end: Option<Status>) {
        let mut state = self.state();
        if let Some(end) = end {
            state.note_work_end(id, end);
        }
        if let Some(tracked) = state.works.remove(&id) {
            tracked.over.send_replace(true);
            for (job, (record, _)) in state.jobs.iter().filter(|(_, (job, _))| job.work == id) {
                tracing::info!(%job, work = %id, trace_id = record.trace_id, "the work of a job ended");
            }
        }
        drop(state);
        self.ends.send_replace(());
    }

    /// Looks after this work from now on.
    pub fn track(self: &Arc<Self>, id: Uuid, work: &WorkEntry) {
        let mut state = self.state();
        if state.works.contains_key(&id) {
            return;
        }
        let tracked = Arc::new(Tracked {
            parts: work.record.parts,
            done: AtomicU64::new(0),
            done_by_all: Arc::clone(&self.parts_done),
            begun: AtomicBool::new(false),
            pace: Mutex::default(),
            over: watch::Sender::new(false),
        });
        state.works.insert(id, Arc::clone(&tracked));
        tokio::spawn(Arc::clone(self).look_after(id, tracked));
    }

    async fn look_after(self: Arc<Self>, id: Uuid, tracked: Arc<Tracked>) {
        let mut over = tracked.over.subscribe();
        let work = async {
            loop {
                let broker = self.link.broker().await;
                let mut shift = Shift::new(id, &tracked, Arc::clone(&broker));
                if let Err(Failed(error)) = shift.run().await {
                    tracing::warn!(error, work = %id, "could not look after work");
                }
                self.link.doubt(&broker);
                sleep(REST).await;
            }
        };
        tokio::select! {
            _ = over.wait_for(|over| *over) => {}
            () = work => {}
        }
    }

    /// Ends jobs that take too long, and forgets the oldest of those that have ended.
    async fn keep(self: Arc<Self>) {
        loop {
            sleep(ROUND).await;
            let Some(broker) = self.link.present() else { continue };
            for (id, job) in self.late() {
                let end = End {
                    status: Status::Failed,
                    at: now(),
                    trouble: Some(Trouble::TimedOut(job.timeout)),
                    done: 0,
                };
                if let Err(Failed(error)) = leave(&broker, id, end).await {
                    tracing::warn!(error, job = %id, "a job that takes too long could not be ended");
                }
            }
            for id in self.surplus() {
                if let Err(error) = broker.jobs.purge(job_key(id)).await {
                    tracing::warn!(%error, job = %id, "an old job could not be forgotten");
                }
            }
        }
    }

    /// The jobs that go on and whose time is over.
    fn late(&self) -> Vec<(Uuid, JobRecord)> {
        let (state, now) = (self.state(), now());
        let jobs = state.jobs.iter().filter(|(_, (job, _))| {
            job.end.is_none() && job.until <= now && state.works.contains_key(&job.work)
        });
        jobs.map(|(id, (job, _))| (*id, job.clone())).collect()
    }

    /// The oldest of the jobs that have ended, as far as there are more than may be kept.
    fn surplus(&self) -> Vec<Uuid> {
        let state = self.state();
        let mut ended: Vec<_> = state
            .jobs
            .iter()
            .filter(|(_, (job, _))| job.end.is_some() || !state.works.contains_key(&job.work))
            .map(|(id, (_, since))| (*since, *id))
            .collect();
        let surplus = ended.len().saturating_sub(self.limits.kept);
        ended.sort_unstable();
        ended.truncate(surplus);
        ended.into_iter().map(|(_, id)| id).collect()
    }

    /// Hears of parts that were delivered as often as they may be: nobody lived to say what was wrong with them.
    async fn listen(self: Arc<Self>) {
        #[derive(Deserialize)]
        struct Advisory {
            stream_seq: u64,
            deliveries: u64,
        }
        let subject = format!("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{SHARDS}.{WORKERS}");
        loop {
            let broker = self.link.broker().await;
            if let Ok(mut advisories) = broker.client.subscribe(subject.clone()).await {
                while let Some(message) = advisories.next().await {
                    let Ok(advisory) = serde_json::from_slice::<Advisory>(&message.payload) else { continue };
                    let Ok(part) = broker.shards.get_raw_message(advisory.stream_seq).await else { continue };
                    exhausted(&broker, &part.subject, advisory.deliveries).await;
                }
            }
            sleep(REST).await;
        }
    }
}

/// Gives up the work of a part that nobody could do.
async fn exhausted(broker: &Broker, subject: &str, deliveries: u64) {
    let Some((work, _)) = parse_subject(subject) else { return };
    let error =
        format!("{subject}: every worker that took it, {deliveries} in all, ended before it was done");
    tracing::error!(error, "a part was given up");
    let end = End { status: Status::Failed, at: now(), trouble: Some(Trouble::Bug), done: 0 };
    if let Err(Failed(error)) = end_work(broker, work, end, Some(error)).await {
        tracing::warn!(error, "work with a part that was given up could not be ended");
    }
}

/// Ends one job, if it hasn't ended, and its work if no other job has it.
pub async fn leave(broker: &Broker, id: Uuid, end: End) -> Result<(), Failed> {
    let ended = |job: &JobRecord| job.end.is_none().then(|| JobRecord { end: Some(end), ..job.clone() });
    let Some(job) = alter(&broker.jobs, &job_key(id), ended).await? else { return Ok(()) };
    let key = work_key(job.work);
    let Some((work, _)) = read::<WorkEntry>(&broker.jobs, &key).await? else { return Ok(()) };
    let key = order_key(&work.record.order);
    let mut is_last = false;
    alter(&broker.jobs, &key, |claim: &Claim| {
        if claim.work != job.work {
            return None;
        }
        let mut claim = claim.clone();
        claim.jobs.retain(|other| *other != id);
        is_last = claim.jobs.is_empty();
        Some(claim)
    })
    .await?;
    if is_last {
        end_work(broker, job.work, end, None).await?;
    }
    Ok(())
}

/// Looking after one piece of work over one connection.
struct Shift<'a> {
    id: Uuid,
    tracked: &'a Tracked,
    broker: Arc<Broker>,
    /// The parts that are done.
    done: HashSet<u64>,
    sum: u64,
    /// The next part to put in.
    next: u64,
    /// The parts that are waiting or being done.
    sent: HashSet<u64>,
    is_finish_sent: bool,
    /// How many parts of all work are being done, at the last look.
    under_way: usize,
    quiet_rounds: u32,
    rounds: u32,
}

impl<'a> Shift<'a> {
    fn new(id: Uuid, tracked: &'a Tracked, broker: Arc<Broker>) -> Self {
        Self {
            id,
            tracked,
            broker,
            done: HashSet::new(),
            sum: 0,
            next: 0,
            sent: HashSet::new(),
            is_finish_sent: false,
            under_way: 0,
            quiet_rounds: 0,
            rounds: 0,
        }
    }

    /// Goes on until something fails.
    async fn run(&mut self) -> Result<(), Failed> {
        let results = self.broker.results.watch_with_history(format!("{}.*", self.id)).await;
        let mut results = results.map_err(|error| Failed::at("watching results", error))?;
        let mut rounds = interval(ROUND);
        rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first round is at once. Parts that are done may be put in again then; whoever takes one will see.
        loop {
            tokio::select! {
                entry = results.next() => match entry {
                    Some(Ok(entry)) => {
                        self.hear(&entry);
                        // While there is more to hear, what is known is out of date.
                        if entry.delta == 0 {
                            self.send().await?;
                        }
                    }
                    Some(Err(error)) => return Err(Failed::at("watching results", error)),
                    None => return Err(Failed("the results are no longer told".to_owned())),
                },
                _ = rounds.tick() => {
                    self.look().await?;
                    self.send().await?;
                }
            }
        }
    }

    fn hear(&mut self, entry: &Entry) {
        let name = entry.key.rsplit('.').next().unwrap_or_default();
        if entry.operation != Operation::Put {
            return;
        }
        self.tracked.begin();
        let counted = std::str::from_utf8(&entry.value).ok().and_then(|text| text.parse::<u64>().ok());
        if let (Ok(part), Some(counted)) = (name.parse::<u64>(), counted)
            && self.done.insert(part)
        {
            self.sent.remove(&part);
            self.sum += counted;
            let done = self.done.len() as u64;
            // After the connection was lost all are told again, and when a server starts those of before.
            if self.tracked.done.fetch_max(done, Ordering::Relaxed) < done && entry.seen_current {
                self.tracked.done_by_all.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Sees how many parts are being done, and now and then whether any got lost.
    async fn look(&mut self) -> Result<(), Failed> {
        let info = self.broker.parts.get_info().await;
        let info = info.map_err(|error| Failed::at("asking for the workers", error))?;
        self.under_way = info.num_ack_pending;
        let is_quiet = info.num_waiting > 0 && info.num_ack_pending == 0;
        self.quiet_rounds = if is_quiet { self.quiet_rounds + 1 } else { 0 };
        self.rounds += 1;
        if self.quiet_rounds < QUIET_ROUNDS && self.rounds < SEARCH_ROUNDS {
            return Ok(());
        }
        let is_quiet = self.quiet_rounds >= QUIET_ROUNDS;
        (self.rounds, self.quiet_rounds) = (0, 0);
        let finish = self.is_finish_sent.then_some(None);
        let parts: Vec<_> = self.sent.iter().copied().map(Some).chain(finish).collect();
        for part in parts {
            let subject = subject(self.id, part);
            match self.broker.shards.get_last_raw_message_by_subject(&subject).await {
                Ok(_) if is_quiet => exhausted(&self.broker, &subject, super::link::MAX_DELIVER as u64).await,
                Ok(_) => {}
                Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => {
                    // Whoever had it left without giving it back, unless it has been done since.
                    if !self.is_done(part).await? {
                        self.put(part, false).await?;
                    }
                }
                Err(error) => return Err(Failed::at(&subject, error)),
            }
        }
        Ok(())
    }

    /// Whether the result of a part is there, or the end of the work.
    async fn is_done(&self, part: Option<u64>) -> Result<bool, Failed> {
        match part {
            Some(part) => {
                let key = format!("{}.{part}", self.id);
                let result = self.broker.results.get(&key).await;
                Ok(result.map_err(|error| Failed::at(&key, error))?.is_some())
            }
            None => {
                let work = read::<WorkEntry>(&self.broker.jobs, &work_key(self.id)).await?;
                Ok(work.is_none_or(|(work, _)| work.end.is_some()))
            }
        }
    }

    /// Puts in as many parts as there should be, or the last one.
    async fn send(&mut self) -> Result<(), Failed> {
        if self.done.len() as u64 == self.tracked.parts {
            if !self.is_finish_sent {
                self.put(None, true).await?;
                self.is_finish_sent = true;
            }
            return Ok(());
        }
        let ahead = if self.tracked.parts <= FEW { FEW as usize } else { AHEAD + 2 * self.under_way };
        while self.next < self.tracked.parts && self.sent.len() < ahead {
            let part = self.next;
            self.next += 1;
            if !self.done.contains(&part) {
                self.put(Some(part), true).await?;
                self.sent.insert(part);
            }
        }
        Ok(())
    }

    /// Puts a part in, unless it is there. The broker also remembers a part that `is_new` if it was done meanwhile.
    async fn put(&self, part: Option<u64>, is_new: bool) -> Result<(), Failed> {
        let subject = subject(self.id, part);
        let payload = match part {
            None if self.tracked.parts > 0 => Bytes::from(self.sum.to_string()),
            _ => Bytes::new(),
        };
        let mut message = PublishMessage::build().payload(payload);
        if is_new {
            message = message.message_id(&subject);
        }
        let sent = self.broker.context.send_publish(subject.clone(), message).await;
        let taken = sent.map_err(|error| Failed::at(&subject, error))?.await;
        match taken {
            Ok(_) => Ok(()),
            Err(error) if is_there_already(&error) => Ok(()),
            Err(error) => Err(Failed::at(&subject, error)),
        }
    }
}

/// Whether the broker refused a part because it has it.
fn is_there_already(error: &async_nats::jetstream::context::PublishError) -> bool {
    /// "maximum messages per subject exceeded", which the broker tells as a failure to store.
    const STORE_FAILED: u64 = 10_077;
    let source = std::error::Error::source(error);
    let code = source.and_then(|source| source.downcast_ref::<async_nats::jetstream::Error>());
    error.kind() == PublishErrorKind::Other && code.is_some_and(|error| error.error_code().0 == STORE_FAILED)
}
