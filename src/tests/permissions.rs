//! Permission tests: which role may make which call. The table in `permissions.txt` is compared with the running
//! server.

use std::fmt::Write;

use super::{file, isolation::calls, world};
use crate::people::permission::Role;

const TABLE: &str = "src/tests/permissions.txt";

#[tokio::test]
async fn permission_table_matches_the_server() {
    let mut rows: Vec<(String, [bool; 4])> = calls().into_iter().map(|(id, ..)| (id, [false; 4])).collect();
    for (column, role) in Role::ALL.into_iter().enumerate() {
        let (_app, caller, ids, _) = world::worlds(role).await;
        for (row, (id, method, sample)) in calls().into_iter().enumerate() {
            let Some(sample) = sample else { continue };
            let got = if world::LAST.contains(&sample.id) {
                let (_app, caller, ids, _) = world::worlds(role).await;
                world::send(&caller, &method, &sample, &ids).await
            } else {
                world::send(&caller, &method, &sample, &ids).await
            };
            let refused = got.status == 403;
            assert!(got.status != 401 && got.status < 500, "{id} as {}: {}", role.as_str(), got.body);
            rows[row].1[column] = !refused;
        }
    }
    rows.sort();
    let mut table = format!("{:<32}{}\n", "", Role::ALL.map(|role| format!("{:<8}", role.as_str())).concat());
    for (id, may) in rows {
        let marks = may.map(|may| if may { "yes     " } else { "-       " }).concat();
        writeln!(table, "{}", format!("{id:<32}{marks}").trim_end()).unwrap();
    }
    let table = table.lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n";
    if std::env::var_os("ATRIUM_UPDATE").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/tests/permissions.txt"), &table).unwrap();
    }
    assert!(file(TABLE) == table, "{TABLE} is not what the server does:\n{table}");
}
