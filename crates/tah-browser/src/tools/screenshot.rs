//! `browser_screenshot`: a picture as a file for a model, as data for a program. Never bigger than a model takes (B81).

use std::path::{Path, PathBuf};

use base64::Engine as _;
use serde_json::{Value, json};

use crate::browser::{Call, Caller};
use crate::cdp::wire;
use crate::error::{BrowserError, Code};
use crate::page::PageError;

use super::landing;

/// The longest side of a picture, in pixels.
const LONGEST_SIDE: f64 = 8_000.0;
/// All pixels of a picture.
const MOST_PIXELS: f64 = 24_000_000.0;

pub async fn run(call: Call) -> Result<Value, BrowserError> {
    let format = call.text("format").unwrap_or("png").to_owned();
    let quality = call.args.get("quality").and_then(Value::as_i64);
    if quality.is_some() && format == "png" {
        return Err(BrowserError::argument("argument quality is for format jpeg"));
    }
    let path = place(&call, &format).await?;
    let tab = call.tab().await?;
    let within = call.left();
    let metrics = tab
        .chrome()
        .unless_dialog(tab.id(), tab.session().call_within(within, wire::LayoutMetrics {}))
        .await?;
    let dpr: f64 = tab.main_frame()?.call("pixelRatio", (), within).await?;
    let full = call.args.get("fullPage") == Some(&Value::Bool(true));
    let view = &metrics.css_layout_viewport;
    let (x, y, width, height) = if full {
        (0.0, 0.0, metrics.css_content_size.width, metrics.css_content_size.height)
    } else {
        (view.page_x, view.page_y, view.client_width, view.client_height)
    };
    something(width, height)?;
    let limit = |name: &str| call.args.get(name).and_then(Value::as_f64).unwrap_or(f64::INFINITY);
    let (real_width, real_height) = (width * dpr, height * dpr);
    let scale = [
        1.0,
        limit("maxWidth") / real_width,
        limit("maxHeight") / real_height,
        LONGEST_SIDE / real_width,
        LONGEST_SIDE / real_height,
        (MOST_PIXELS / (real_width * real_height)).sqrt(),
    ]
    .into_iter()
    .fold(1.0, f64::min);
    let command = wire::CaptureScreenshot {
        format: format.clone(),
        quality,
        clip: Some(wire::Clip { x, y, width, height, scale }),
        capture_beyond_viewport: Some(full),
        optimize_for_speed: Some(format == "png"),
    };
    let shot = tab.chrome().unless_dialog(tab.id(), tab.session().call_within(call.left(), command)).await;
    let data = match shot {
        Ok(shot) => shot.data,
        Err(PageError::Cdp(error)) => {
            return Err(BrowserError::new(Code::ScreenshotFailed, error.to_string()));
        }
        Err(error) => return Err(error.into()),
    };
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(&data)
        .map_err(|error| BrowserError::new(Code::ScreenshotFailed, format!("unreadable picture: {error}")))?;
    let Some((width, height)) = size(&bytes).filter(|(width, height)| *width > 0 && *height > 0) else {
        // B83: an empty picture is a failure, not a file.
        return Err(BrowserError::new(Code::ScreenshotFailed, "the browser gave an empty picture"));
    };
    let mut result = json!({});
    if call.caller == Caller::Program {
        result["dataUrl"] = json!(format!("data:image/{format};base64,{data}"));
    }
    if let Some(path) = path {
        let failed = |error: std::io::Error| {
            BrowserError::new(Code::ScreenshotFailed, format!("can't write {}: {error}", path.display()))
        };
        landing::write_private(&path, &bytes).await.map_err(failed)?;
        result["path"] = json!(path);
    }
    result["width"] = json!(width);
    result["height"] = json!(height);
    Ok(result)
}

/// An area without pixels gives no picture, which is an error and not an empty file (B83).
fn something(width: f64, height: f64) -> Result<(), BrowserError> {
    if width >= 1.0 && height >= 1.0 {
        return Ok(());
    }
    Err(BrowserError::new(
        Code::ScreenshotFailed,
        format!("the page is {width}×{height} pixels: there is nothing to take"),
    ))
}

/// Where the file goes; a program that names no path gets none.
async fn place(call: &Call, format: &str) -> Result<Option<PathBuf>, BrowserError> {
    let options = call.options();
    let output = &options.output;
    match call.text("savePath") {
        Some(wanted) => {
            let wanted = Path::new(wanted);
            let folders: [&Path; 3] = [output, &options.work_dir, &options.launch.downloads];
            Ok(Some(
                landing::inside(
                    &if wanted.is_absolute() { wanted.to_owned() } else { output.join(wanted) },
                    &folders,
                )
                .await?,
            ))
        }
        None if call.caller == Caller::Program => Ok(None),
        None => {
            let extension = if format == "jpeg" { "jpg" } else { "png" };
            for number in 1..10_000 {
                let path = output.join(format!("screenshot-{number}.{extension}"));
                if tokio::fs::symlink_metadata(&path).await.is_err() {
                    return Ok(Some(landing::inside(&path, &[output]).await?));
                }
            }
            Err(BrowserError::new(Code::PathRefused, format!("{} is full of screenshots", output.display())))
        }
    }
}

/// Width and height from the head of a PNG or JPEG.
fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    let two = |at: usize| Some(u32::from(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?])));
    let four = |at: usize| Some(two(at)? << 16 | two(at + 2)?);
    if bytes.starts_with(b"\x89PNG") {
        return Some((four(16)?, four(20)?));
    }
    if !bytes.starts_with(b"\xff\xd8") {
        return None;
    }
    let mut at = 2;
    loop {
        let marker = two(at)?;
        // A frame header holds the size; all other segments are skipped by their length.
        if (0xffc0..=0xffcf).contains(&marker) && ![0xffc4, 0xffc8, 0xffcc].contains(&marker) {
            return Some((two(at + 7)?, two(at + 5)?));
        }
        at += 2 + two(at + 2)? as usize;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn b83_a_picture_of_nothing_is_an_error() {
        assert!(super::something(800.0, 600.0).is_ok());
        for (width, height) in [(0.0, 600.0), (800.0, 0.0), (f64::NAN, 1.0), (-1.0, -1.0)] {
            let error = super::something(width, height).unwrap_err();
            assert_eq!(error.code, super::Code::ScreenshotFailed);
        }
    }
}
