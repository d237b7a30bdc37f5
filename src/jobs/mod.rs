//! Background jobs. Each resumes from its last position in the change feed or the store and is idempotent, so that
//! repeating a step is harmless. `app.rs` starts them all.

mod backup_scheduler;
mod condition;
mod daily;
mod deferred;
mod field_index;
mod index;
mod mail_context;
mod notifier;
mod runner;
mod scrub;
mod steps;

pub use backup_scheduler::{BackupScheduler, backup_time};
pub use condition::{Condition, DegradedReason, HealthJob, HealthMonitor};
pub use daily::{BinJob, ErasureJob, RetentionJob, TrimJob, UploadGarbageJob};
pub use deferred::DeferredJob;
pub use field_index::FieldIndexJob;
pub use index::{IndexComparisonJob, IndexJob, compare_index, reindex};
pub use mail_context::AppMailContext;
pub use notifier::{IsAway, NotificationJob, Notifier};
pub use runner::{Job, JobStatus, JobStatuses, Jobs, Retry};
pub use scrub::ScrubJob;
pub use steps::{
    BroadcastWork, BulkWork, ContactUpgradeWork, MergeWork, PageWork, PipelineWork, RenamingWork, StatusWork, StepJob,
    TagWork,
};
