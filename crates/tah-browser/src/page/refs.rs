//! The numbers of elements (`e12`): one sequence for everything this process ever shows, so that a number never comes
//! to mean something else (B9), and a record of which document each belongs to (B8).

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::state::FrameId;

static NEXT: AtomicU64 = AtomicU64::new(1);

/// How many numbers one look at a frame may use.
const BLOCK: u64 = 6_000;
/// Documents remembered.
const DOCUMENTS: usize = 2_000;

/// Numbers lent to a page for one call.
#[derive(Debug, Clone)]
pub struct Loan {
    range: Range<u64>,
}

impl Loan {
    pub fn take() -> Loan {
        let start = NEXT.fetch_add(BLOCK, Ordering::Relaxed);
        Loan { range: start..start + BLOCK }
    }

    pub fn start(&self) -> u64 {
        self.range.start
    }

    pub fn end(&self) -> u64 {
        self.range.end
    }

    /// Gives back what the page did not use, if nobody took numbers since.
    fn settle(self, used: u64) -> Range<u64> {
        let used = used.clamp(self.range.start, self.range.end);
        // Where it fails the numbers in between stay unused: they are not scarce.
        let _ = NEXT.compare_exchange(self.range.end, used, Ordering::Relaxed, Ordering::Relaxed);
        self.range.start..used
    }
}

/// Where numbers belong.
#[derive(Debug, Clone)]
struct Document {
    numbers: Range<u64>,
    frame: FrameId,
    /// Counts the documents of that frame.
    document: u64,
}

/// Which document each number was given in.
#[derive(Debug, Default)]
pub struct RefBook {
    documents: Mutex<Vec<Document>>,
}

impl RefBook {
    pub fn record(&self, loan: Loan, used: u64, frame: &FrameId, document: u64) {
        let numbers = loan.settle(used);
        if numbers.is_empty() {
            return;
        }
        let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = documents.last_mut()
            && last.frame == *frame
            && last.document == document
            && last.numbers.end == numbers.start
        {
            last.numbers.end = numbers.end;
            return;
        }
        documents.push(Document { numbers, frame: frame.clone(), document });
        if documents.len() > DOCUMENTS {
            documents.remove(0);
        }
    }

    /// The frame and the document a number was given in.
    pub fn find(&self, number: u64) -> Option<(FrameId, u64)> {
        let documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        documents
            .iter()
            .rev()
            .find(|one| one.numbers.contains(&number))
            .map(|one| (one.frame.clone(), one.document))
    }
}
