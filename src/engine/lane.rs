//! A lane: so many may run at once, so many may wait, the rest are turned away.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Permits for those that run, and places for those that run or wait. Clones share them.
#[derive(Clone, Debug)]
pub struct Lane {
    places: Arc<Semaphore>,
    permits: Arc<Semaphore>,
    width: usize,
    length: usize,
}

/// A place in a lane, given back when dropped.
#[derive(Debug)]
pub struct Place {
    _place: OwnedSemaphorePermit,
    permits: Arc<Semaphore>,
}

/// The right to run, given back when dropped. Belongs into the thread that runs.
#[derive(Debug)]
pub struct Permit {
    _permit: OwnedSemaphorePermit,
    place: Place,
}

impl Lane {
    /// A lane in which `width` may run at once and `queue` more may wait.
    #[must_use]
    pub fn new(width: NonZeroUsize, queue: usize) -> Self {
        let width = width.get().min(Semaphore::MAX_PERMITS);
        let length = width.saturating_add(queue).min(Semaphore::MAX_PERMITS);
        Self {
            places: Arc::new(Semaphore::new(length)),
            permits: Arc::new(Semaphore::new(width)),
            width,
            length,
        }
    }

    /// A place, unless all are taken.
    #[must_use]
    pub fn enter(&self) -> Option<Place> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        Some(Place { _place: place, permits: Arc::clone(&self.permits) })
    }

    /// How many may run at once.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// How many run, and how many wait.
    #[must_use]
    pub fn load(&self) -> (usize, usize) {
        let running = self.width - self.permits.available_permits();
        let inside = self.length - self.places.available_permits();
        (running, inside.saturating_sub(running))
    }

    /// How long somebody who was turned away should stay away: a second for each round of the queue.
    #[must_use]
    pub fn patience(&self) -> Duration {
        let (_, waiting) = self.load();
        Duration::from_secs(1 + (waiting / self.width) as u64).min(Duration::from_secs(60))
    }
}

impl Place {
    /// Waits for its turn, first come first served.
    pub async fn start(self) -> Permit {
        let permits = Arc::clone(&self.permits);
        let permit = permits.acquire_owned().await.expect("a lane never closes its semaphore");
        Permit { _permit: permit, place: self }
    }
}

impl Permit {
    /// Lets somebody else run, and keeps the place to come back from.
    #[must_use]
    pub fn pause(self) -> Place {
        self.place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_lane_counts_those_inside() {
        let lane = Lane::new(NonZeroUsize::MIN, 2);
        let first = lane.enter().unwrap().start().await;
        let second = lane.enter().unwrap();
        assert_eq!(lane.load(), (1, 1));
        let _third = lane.enter().unwrap();
        assert!(lane.enter().is_none());
        drop(first);
        let _second = second.start().await;
        assert_eq!(lane.load(), (1, 1));
        assert!(lane.enter().is_some());
    }

    #[test]
    fn those_turned_away_wait_longer_the_longer_the_queue() {
        let lane = Lane::new(NonZeroUsize::new(2).unwrap(), 100);
        assert_eq!(lane.patience(), Duration::from_secs(1));
        let _places: Vec<_> = (0..40).map_while(|_| lane.enter()).collect();
        assert_eq!(lane.patience(), Duration::from_secs(21));
    }
}
