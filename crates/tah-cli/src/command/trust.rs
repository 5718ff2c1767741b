//! `tah trust`: the folders whose files may set what needs trust.

use crate::args::TrustArgs;
use crate::config::ConfigError;
use crate::config::environment;
use crate::config::trust::TrustList;
use crate::exit::Exit;
use crate::ui;
use std::path::Path;

pub fn trust(args: TrustArgs) -> anyhow::Result<Exit> {
    let mut list = TrustList::load(&environment::home()?)?;
    if args.list {
        for folder in list.folders() {
            let _ = ui::answer(folder);
        }
        return Ok(Exit::Finished);
    }
    let wanted = args.folder.cwd.as_deref().unwrap_or(Path::new("."));
    let folder = wanted
        .canonicalize()
        .map_err(|error| ConfigError::new(format!("the folder {}: {error}", wanted.display())))?;
    if args.revoke {
        let was = list.remove(&folder)?;
        ui::tell(&format!(
            "{} {}",
            folder.display(),
            if was { "is no longer trusted" } else { "was not trusted" }
        ));
    } else {
        list.add(&folder)?;
        ui::tell(&format!("{} is trusted", folder.display()));
    }
    Ok(Exit::Finished)
}
