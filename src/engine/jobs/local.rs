//! Jobs that this process does itself, on threads of their own that let everybody else go first.
//!
//! A free thread takes a part of the work that has had the least time so far, so that a short job isn't stuck behind a
//! long one. What is done is taken down in the [`Book`]; after a restart the
//! parts that are missing there are done, and no other.
//!
//! Two locks: `writing` is held by whoever changes which jobs and which work there are, while that is taken down;
//! `state` only for moments, and never while something is written.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use super::book::{Book, BookError, End, JobRecord, WorkRecord};
use super::clock::{Pace, millis, now};
use super::task::{Done, Step, attempt, divide};
use super::{
    Answer, Census, Found, Limits, Order, Progress, Reader, Refused, Snapshot, Status, Task, Trouble,
};
use crate::engine::priority::step_back;
use crate::puzzles::CancelFlag;

/// How often jobs are looked through for those whose time is over.
const ROUND: Duration = Duration::from_millis(50);

/// How many ids of jobs that are gone are remembered, for each job that is kept.
const GONE_PER_KEPT: usize = 10;

/// The jobs of this process.
#[derive(Debug)]
pub struct Local {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    limits: Limits,
    book: Book,
    writing: Mutex<()>,
    state: Mutex<State>,
    /// There is a part to do, or the end has come.
    news: Condvar,
}

#[derive(Default, Debug)]
struct State {
    jobs: HashMap<Uuid, Job>,
    works: HashMap<Uuid, Work>,
    /// The work that does an order.
    under_way: HashMap<Arc<Order>, Uuid>,
    /// Jobs that have ended, the oldest end first, and the bytes of their answers.
    ended: VecDeque<Uuid>,
    ended_bytes: usize,
    /// Jobs whose time to live is over, the oldest first.
    gone: VecDeque<(Uuid, Instant)>,
    gone_ids: HashSet<Uuid>,
    time_to_live: Duration,
    stopping: bool,
    /// What has happened since the start.
    ended_by_status: [u64; Status::ALL.len()],
    parts_done: u64,
}

#[derive(Debug)]
struct Job {
    order: Arc<Order>,
    record: JobRecord,
    /// Parts in all, the last one counted.
    total: u64,
    /// When its time is over: to run as long as it runs, to live after its end.
    until: Instant,
    answer: Option<Answer>,
}

#[derive(Debug)]
struct Work {
    order: Arc<Order>,
    task: Arc<dyn Task>,
    /// In how many parts it is divided, the last one not counted.
    parts: u64,
    /// Those that nobody has taken, the next one at the end.
    left: Vec<u64>,
    done: u64,
    counted: u64,
    /// Whether the last part is being done.
    is_finishing: bool,
    /// The time that its parts took, in addition to what it was given at the start.
    spent: Duration,
    /// When its first part was taken.
    pace: Option<Pace>,
    cancel: CancelFlag,
    jobs: HashSet<Uuid>,
    /// Tells of changes; ends when the work is over.
    changed: watch::Sender<()>,
}

/// What a thread has to do next.
#[derive(Debug)]
struct Taken {
    work: Uuid,
    task: Arc<dyn Task>,
    step: Step,
    cancel: CancelFlag,
}

impl Local {
    /// Goes on with the jobs in `book`, and takes new ones.
    ///
    /// # Errors
    /// When the book can't be read or written.
    pub fn start(limits: Limits, book: Book, reader: &Reader) -> Result<Arc<Self>, BookError> {
        let state = State::resume(&book, reader, &limits)?;
        let threads = limits.threads;
        let shared = Arc::new(Shared {
            limits,
            book,
            writing: Mutex::default(),
            state: Mutex::new(state),
            news: Condvar::new(),
        });
        let work = |shared: &Arc<Shared>| {
            let shared = Arc::clone(shared);
            thread::Builder::new().name("job".to_owned()).spawn(move || shared.labour())
        };
        let mut handles = Vec::new();
        for _ in 0..threads {
            handles.push(work(&shared).map_err(BookError::new)?);
        }
        let keeper = Arc::clone(&shared);
        let keeper = thread::Builder::new().name("jobs".to_owned()).spawn(move || keeper.keep());
        handles.push(keeper.map_err(BookError::new)?);
        Ok(Arc::new(Self { shared, threads: Mutex::new(handles) }))
    }

    /// See [`Jobs::submit`](super::Jobs::submit).
    ///
    /// # Errors
    /// [`Refused`] when the queue is full or the job can't be taken down.
    pub async fn submit(
        &self,
        order: Order,
        task: Arc<dyn Task>,
        timeout: Option<Duration>,
        trace_id: Option<String>,
    ) -> Result<Uuid, Refused> {
        let shared = Arc::clone(&self.shared);
        join(spawn_blocking(move || shared.submit(order, task, timeout, trace_id)).await)
    }

    /// See [`Jobs::find`](super::Jobs::find).
    #[must_use]
    pub fn find(&self, id: Uuid) -> Found {
        self.shared.state().find(id)
    }

    /// See [`Jobs::watch`](super::Jobs::watch).
    #[must_use]
    pub fn watch(&self, id: Uuid) -> Option<watch::Receiver<()>> {
        let state = self.shared.state();
        let job = state.jobs.get(&id)?;
        // A sender that is gone tells that there is nothing more to come.
        let over = || watch::channel(()).1;
        let work = state.works.get(&job.record.work).filter(|_| job.record.end.is_none());
        Some(work.map_or_else(over, |work| work.changed.subscribe()))
    }

    /// See [`Jobs::cancel`](super::Jobs::cancel).
    ///
    /// # Errors
    /// [`Refused`] when that can't be taken down; it is cancelled all the same, until a restart.
    pub async fn cancel(&self, id: Uuid) -> Result<Found, Refused> {
        let shared = Arc::clone(&self.shared);
        join(spawn_blocking(move || Ok(shared.leave(id, Status::Cancelled, None))).await)
    }

    /// See [`Jobs::census`](super::Jobs::census).
    #[must_use]
    pub fn census(&self) -> Census {
        self.shared.state().census()
    }

    /// Stops all threads, within the time that a solver takes to notice. Parts that are half done are left to the next
    /// start.
    pub fn stop(&self) {
        {
            let mut state = self.shared.state();
            state.stopping = true;
            state.works.values().for_each(|work| work.cancel.cancel());
        }
        self.shared.news.notify_all();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            if thread.join().is_err() {
                tracing::error!("a thread for jobs panicked");
            }
        }
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.stop();
    }
}

fn join<T>(joined: Result<Result<T, Refused>, tokio::task::JoinError>) -> Result<T, Refused> {
    joined.unwrap_or_else(|error| {
        tracing::error!(%error, "a job could not be handled");
        Err(Refused::Away)
    })
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock; if it did, counts are only changed as a whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writing(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn submit(
        &self,
        order: Order,
        task: Arc<dyn Task>,
        timeout: Option<Duration>,
        trace_id: Option<String>,
    ) -> Result<Uuid, Refused> {
        let longest = self.limits.longest;
        let timeout = timeout.map_or(longest, |asked| asked.min(longest));
        let order = Arc::new(order);
        let id = Uuid::new_v4();
        // It takes time, so it is done before anybody has to wait for it.
        let is_known = self.state().under_way.contains_key(&order);
        let divided = (!is_known).then(|| divide(&*task));

        let _writing = self.writing();
        let shared = {
            let state = self.state();
            if state.stopping || state.jobs.len() - state.ended.len() >= self.limits.queue {
                return Err(Refused::Full);
            }
            state.under_way.get(&order).map(|work| (*work, state.works[work].parts))
        };
        let (work, parts) = match shared {
            Some(known) => known,
            None => (Uuid::new_v4(), divided.unwrap_or_else(|| divide(&*task))),
        };
        let record = JobRecord::new(work, timeout, trace_id);
        let new = WorkRecord::new((*order).clone(), parts);
        let new = shared.is_none().then_some((work, &new));
        self.book.begin(id, &record, new).map_err(|error| {
            tracing::error!(%error, "a job could not be taken down, and was refused");
            Refused::Away
        })?;

        let mut state = self.state();
        let job = Job {
            order: Arc::clone(&order),
            record,
            total: parts + 1,
            until: Instant::now() + timeout,
            answer: None,
        };
        if shared.is_none() {
            state.add_work(work, Work::new(order, task, parts));
        }
        if let Some(work) = state.works.get_mut(&work) {
            work.jobs.insert(id);
        }
        state.jobs.insert(id, job);
        drop(state);
        self.news.notify_all();
        Ok(id)
    }

    /// Does parts until the end.
    fn labour(&self) {
        step_back();
        while let Some(taken) = self.take() {
            let started = Instant::now();
            let done = attempt(&*taken.task, taken.step, &taken.cancel);
            self.record(&taken, done, started.elapsed());
        }
    }

    /// Waits for a part to do; `None` at the end.
    fn take(&self) -> Option<Taken> {
        let mut state = self.state();
        loop {
            if state.stopping {
                return None;
            }
            if let Some(taken) = state.take() {
                return Some(taken);
            }
            state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn record(&self, taken: &Taken, done: Done, time: Duration) {
        match (taken.step, done) {
            (Step::Count(part), Done::Counted(counted)) => {
                if let Err(error) = self.book.part(taken.work, part, counted) {
                    tracing::error!(%error, "a part could not be taken down, and is done again after a restart");
                }
                if self.state().add_part(taken.work, counted, time) {
                    self.news.notify_all();
                }
            }
            (_, Done::Answer(answer)) => self.end(taken.work, Status::Succeeded, None, Some(&answer)),
            (_, Done::Trouble(trouble, what)) => {
                self.end(taken.work, Status::Failed, Some(trouble), None);
                tracing::error!(what, work = %taken.work, step = ?taken.step, "work failed");
            }
            // Cancelled, or the end of the process: then the next one does it.
            (_, Done::Interrupted | Done::Counted(_)) => {}
        }
    }

    /// Ends the jobs of a work.
    fn end(&self, work: Uuid, status: Status, trouble: Option<Trouble>, answer: Option<&Answer>) {
        let _writing = self.writing();
        let jobs = self.state().works.get(&work).map(|work| work.jobs.clone()).unwrap_or_default();
        self.end_jobs(&jobs, work, status, trouble, answer);
    }

    /// Ends one job, if it hasn't ended, and its work, if that was the last one. Returns what it was before.
    fn leave(&self, id: Uuid, status: Status, trouble: Option<Trouble>) -> Found {
        let _writing = self.writing();
        let (found, work) = {
            let state = self.state();
            (state.find(id), state.jobs.get(&id).map(|job| job.record.work))
        };
        match (&found, work) {
            (Found::Job(job), Some(work)) if !job.status.is_end() => {
                self.end_jobs(&HashSet::from([id]), work, status, trouble, None);
            }
            _ => {}
        }
        found
    }

    /// Ends these jobs of a work, and the work if no other job has it. To be called by who holds `writing`.
    fn end_jobs(
        &self,
        jobs: &HashSet<Uuid>,
        work: Uuid,
        status: Status,
        trouble: Option<Trouble>,
        answer: Option<&Answer>,
    ) {
        let (records, is_over) = self.state().end_jobs(jobs, work, status, trouble, answer);
        self.news.notify_all();
        for (job, record) in &records {
            tracing::info!(%job, %work, status = status.word(), trace_id = record.trace_id, "a job ended");
        }
        let over = is_over.then_some((work, answer));
        if let Err(error) = self.book.end(&records, over) {
            tracing::error!(%error, "the end of a job could not be taken down, and is forgotten at a restart");
        }
    }

    /// Ends jobs that take too long and forgets those that ended long ago, until the end.
    fn keep(&self) {
        loop {
            let state = self.state();
            let wait = self.news.wait_timeout_while(state, ROUND, |state| !state.stopping);
            let (state, _) = wait.unwrap_or_else(PoisonError::into_inner);
            if state.stopping {
                return;
            }
            let now = Instant::now();
            let late: Vec<_> = state.late(now).collect();
            drop(state);
            for (id, timeout) in late {
                self.leave(id, Status::Failed, Some(Trouble::TimedOut(timeout)));
            }
            self.forget(now);
        }
    }

    /// Forgets what is over the limits.
    fn forget(&self, at: Instant) {
        let _writing = self.writing();
        let (jobs, works, gone) = self.state().forget(at, &self.limits);
        let written = if jobs.is_empty() { Ok(()) } else { self.book.forget(&jobs, &works, now()) };
        let written =
            written.and_then(|()| if gone.is_empty() { Ok(()) } else { self.book.forget_gone(&gone) });
        if let Err(error) = written {
            tracing::error!(%error, "old jobs could not be struck out, and are back after a restart");
        }
    }
}

impl Work {
    fn new(order: Arc<Order>, task: Arc<dyn Task>, parts: u64) -> Self {
        Self {
            order,
            task,
            parts,
            left: (0..parts).rev().collect(),
            done: 0,
            counted: 0,
            is_finishing: false,
            spent: Duration::ZERO,
            pace: None,
            cancel: CancelFlag::new(),
            jobs: HashSet::new(),
            changed: watch::Sender::new(()),
        }
    }

    /// Work that was begun before, with what each part that is done counted.
    fn resume(order: Arc<Order>, task: Arc<dyn Task>, parts: u64, done: &[(u64, u64)]) -> Self {
        let mut work = Self::new(order, task, parts);
        let numbers: HashSet<_> = done.iter().map(|(part, _)| *part).collect();
        work.left.retain(|part| !numbers.contains(part));
        work.done = done.len() as u64;
        work.counted = done.iter().map(|(_, counted)| counted).sum();
        work
    }

    fn progress(&self) -> Progress {
        let (done, total) = (self.done as usize, self.parts as usize);
        Progress {
            done: self.done,
            total: self.parts + 1,
            seconds_left: self.pace.and_then(|pace| pace.seconds_left(done, total)),
        }
    }

    /// Whether there is a step that nobody has taken.
    const fn has_more(&self) -> bool {
        !self.left.is_empty() || (self.done == self.parts && !self.is_finishing)
    }

    /// The next step; only if there is more.
    fn take(&mut self) -> Step {
        let step = if let Some(part) = self.left.pop() {
            Step::Count(part)
        } else {
            self.is_finishing = true;
            Step::Finish((self.parts > 0).then_some(self.counted))
        };
        if self.pace.is_none() {
            self.pace = Some(Pace::start(self.done as usize));
            self.changed.send_replace(());
        }
        step
    }
}

impl State {
    /// The state that a book tells of.
    fn resume(book: &Book, reader: &Reader, limits: &Limits) -> Result<Self, BookError> {
        let contents = book.contents()?;
        let mut state = Self { time_to_live: limits.time_to_live, ..Self::default() };
        let works: HashMap<_, _> = contents.works.into_iter().collect();
        let answers: HashMap<_, _> =
            contents.answers.into_iter().map(|(id, text)| (id, Answer::from(text))).collect();
        let mut parts: HashMap<Uuid, Vec<(u64, u64)>> = HashMap::new();
        for (work, part, counted) in contents.parts {
            parts.entry(work).or_default().push((part, counted));
        }
        let mut ends = Vec::new();
        let mut unreadable = Vec::new();
        for (id, record) in contents.jobs {
            let Some(of) = works.get(&record.work) else { continue };
            let order = Arc::new(of.order.clone());
            let work = record.work;
            let until = match record.end {
                Some(end) => {
                    ends.push((end.at, id));
                    later(end.at.saturating_add(millis(limits.time_to_live)), limits.time_to_live)
                }
                None => later(record.until, Duration::from_millis(record.timeout)),
            };
            let goes_on = record.end.is_none();
            let answer = answers.get(&work).filter(|_| !goes_on).cloned();
            let mut total = of.parts + 1;
            if goes_on {
                if !state.works.contains_key(&work) {
                    match reader.read(&of.order) {
                        Ok(task) => {
                            let done = parts.remove(&work).unwrap_or_default();
                            let restored = if of.is_of_this_version() {
                                Work::resume(Arc::clone(&order), task, of.parts, &done)
                            } else {
                                // Another program may have divided it otherwise.
                                let parts = divide(&*task);
                                book.redo(work, &WorkRecord::new(of.order.clone(), parts))?;
                                Work::new(Arc::clone(&order), task, parts)
                            };
                            state.add_work(work, restored);
                        }
                        Err(error) => {
                            tracing::error!(%error, job = %id, "this program can't do a job of an earlier one");
                            unreadable.push((id, work));
                        }
                    }
                }
                if let Some(work) = state.works.get_mut(&work) {
                    work.jobs.insert(id);
                    total = work.parts + 1;
                }
            }
            state.jobs.insert(id, Job { order, record, total, until, answer });
        }
        // What is left was done for work that was over by then.
        for work in parts.into_keys() {
            book.end(&[], Some((work, None)))?;
        }
        ends.sort_unstable();
        for (_, id) in ends {
            state.ended_bytes += state.jobs[&id].answer.as_ref().map_or(0, |answer| answer.len());
            state.ended.push_back(id);
        }
        for (id, work) in unreadable {
            let (records, _) =
                state.end_jobs(&HashSet::from([id]), work, Status::Failed, Some(Trouble::Bug), None);
            book.end(&records, Some((work, None)))?;
        }
        for (id, at) in contents.gone {
            let until = later(at.saturating_add(millis(limits.time_to_live)), limits.time_to_live);
            state.gone.push_back((id, until));
            state.gone_ids.insert(id);
        }
        Ok(state)
    }

    fn add_work(&mut self, id: Uuid, work: Work) {
        // As much as those have had that have had the least: it needn't make up for the time before it came.
        let spent = self.works.values().map(|work| work.spent).min().unwrap_or_default();
        self.under_way.insert(Arc::clone(&work.order), id);
        self.works.insert(id, Work { spent, ..work });
    }

    /// A step of the work that has had the least time.
    fn take(&mut self) -> Option<Taken> {
        let waiting = self.works.iter_mut().filter(|(_, work)| work.has_more());
        let (id, work) = waiting.min_by_key(|(_, work)| work.spent)?;
        let step = work.take();
        Some(Taken { work: *id, task: Arc::clone(&work.task), step, cancel: work.cancel.clone() })
    }

    /// Adds what a part counted. Returns whether there is something new to do.
    fn add_part(&mut self, id: Uuid, counted: u64, time: Duration) -> bool {
        let Some(work) = self.works.get_mut(&id) else { return false };
        self.parts_done += 1;
        work.done += 1;
        work.counted += counted;
        work.spent += time;
        work.changed.send_replace(());
        work.done == work.parts
    }

    /// Ends jobs of a work. Returns what is to be taken down, and whether the work is over.
    fn end_jobs(
        &mut self,
        jobs: &HashSet<Uuid>,
        work_id: Uuid,
        status: Status,
        trouble: Option<Trouble>,
        answer: Option<&Answer>,
    ) -> (Vec<(Uuid, JobRecord)>, bool) {
        let at = now();
        let work = self.works.get_mut(&work_id);
        let mut done = work.as_ref().map_or(0, |work| work.done);
        let mut is_over = true;
        if let Some(work) = work {
            work.jobs.retain(|id| !jobs.contains(id));
            is_over = work.jobs.is_empty();
            work.changed.send_replace(());
        }
        if is_over && let Some(work) = self.works.remove(&work_id) {
            work.cancel.cancel();
            self.under_way.remove(&work.order);
        }
        if status == Status::Succeeded {
            done += 1;
            self.parts_done += 1;
        }
        let mut records = Vec::new();
        for id in jobs {
            let Some(job) = self.jobs.get_mut(id).filter(|job| job.record.end.is_none()) else { continue };
            job.record.end = Some(End { status, at, trouble, done });
            job.until = Instant::now() + self.time_to_live;
            job.answer = answer.cloned();
            self.ended_bytes += answer.map_or(0, |answer| answer.len());
            self.ended.push_back(*id);
            self.ended_by_status[status as usize] += 1;
            records.push((*id, job.record.clone()));
        }
        (records, is_over)
    }

    /// The running jobs whose time is over, each with how long that was in milliseconds.
    fn late(&self, now: Instant) -> impl Iterator<Item = (Uuid, u64)> {
        let late = self.jobs.iter().filter(move |(_, job)| job.record.end.is_none() && job.until <= now);
        late.map(|(id, job)| (*id, job.record.timeout))
    }

    /// Forgets ended jobs that are too old or too many. Returns them, the work that no job refers to any more, and
    /// jobs of which even that they were there is forgotten.
    fn forget(&mut self, now: Instant, limits: &Limits) -> (Vec<Uuid>, Vec<Uuid>, Vec<Uuid>) {
        let mut jobs = Vec::new();
        let mut works = HashSet::new();
        while let Some(id) = self.ended.front() {
            let is_over = |job: &Job| job.until <= now;
            let too_many = self.ended.len() > limits.kept || self.ended_bytes > limits.kept_bytes;
            if !too_many && !self.jobs.get(id).is_none_or(is_over) {
                break;
            }
            let Some(id) = self.ended.pop_front() else { break };
            if let Some(job) = self.jobs.remove(&id) {
                self.ended_bytes -= job.answer.map_or(0, |answer| answer.len());
                works.insert(job.record.work);
            }
            self.gone.push_back((id, now + limits.time_to_live));
            self.gone_ids.insert(id);
            jobs.push(id);
        }
        for job in self.jobs.values() {
            works.remove(&job.record.work);
        }
        let mut gone = Vec::new();
        let most = limits.kept.saturating_mul(GONE_PER_KEPT);
        while self.gone.front().is_some_and(|(_, until)| *until <= now || self.gone.len() > most) {
            let Some((id, _)) = self.gone.pop_front() else { break };
            self.gone_ids.remove(&id);
            gone.push(id);
        }
        (jobs, works.into_iter().collect(), gone)
    }

    /// Where a job stands.
    fn status(&self, job: &Job) -> Status {
        let has_begun = || self.works.get(&job.record.work).is_some_and(|work| work.pace.is_some());
        match job.record.end {
            Some(end) => end.status,
            None if has_begun() => Status::Running,
            None => Status::Queued,
        }
    }

    fn census(&self) -> Census {
        let mut census = Census {
            is_there: true,
            ended: self.ended_by_status,
            parts_left: self.works.values().map(|work| work.parts + 1 - work.done).sum(),
            parts_done: self.parts_done,
            ..Census::default()
        };
        for job in self.jobs.values() {
            census.jobs[self.status(job) as usize] += 1;
        }
        census
    }

    fn find(&self, id: Uuid) -> Found {
        let Some(job) = self.jobs.get(&id) else {
            return if self.gone_ids.contains(&id) { Found::Gone } else { Found::Unknown };
        };
        let status = self.status(job);
        let (progress, trouble) = match job.record.end {
            Some(end) => (Progress { done: end.done, total: job.total, seconds_left: None }, end.trouble),
            None => {
                let progress = self.works.get(&job.record.work).map(Work::progress).unwrap_or_default();
                (Progress { total: job.total, ..progress }, None)
            }
        };
        Found::Job(Snapshot {
            id,
            order: Arc::clone(&job.order),
            status,
            progress,
            answer: job.answer.clone(),
            trouble,
        })
    }
}

/// The moment at which it will be so many milliseconds since 1970, but at most `most` from now, whatever the clock
/// says.
fn later(at: u64, most: Duration) -> Instant {
    Instant::now() + Duration::from_millis(at.saturating_sub(now())).min(most)
}
