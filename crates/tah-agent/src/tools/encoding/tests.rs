//! Encodings of files, found and kept.

use super::*;

fn found(bytes: &[u8]) -> TextEncoding {
    match detect(bytes, Extent::Whole) {
        Kind::Text(encoding) => encoding,
        Kind::Binary => panic!("taken for binary: {bytes:?}"),
    }
}

#[test]
fn e2_a_mark_is_found_left_out_and_written_back() {
    let bytes = b"\xEF\xBB\xBFfirst\n";
    let encoding = found(bytes);
    assert_eq!(encoding.decode(bytes), "first\n");
    assert_eq!(encoding.encode("first\n").unwrap(), bytes);
}

#[test]
fn e7_encodings_come_back_byte_for_byte() {
    let chinese = "这是一个用来测试编码的文件，里面有足够多的中文。\n第二行也是中文。\n";
    for encoding in [encoding_rs::GBK, encoding_rs::UTF_8, encoding_rs::BIG5] {
        let text = if encoding == encoding_rs::BIG5 {
            "這是一個用來測試編碼的檔案，裡面有足夠多的中文。\n"
        } else {
            chinese
        };
        let bytes = encoding.encode(text).0.into_owned();
        let found = found(&bytes);
        assert_eq!(found.decode_exactly(&bytes).as_deref(), Some(text), "{}", encoding.name());
    }
    let wide: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain("héllo\r\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(found(&wide).decode_exactly(&wide).as_deref(), Some("héllo\r\n"));
    let bare: Vec<u8> = "plain words\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(found(&bare).decode_exactly(&bare).as_deref(), Some("plain words\n"));
}

#[test]
fn e7_binary_is_seen() {
    assert_eq!(detect(b"\x7fELF\x02\x01\x01\0\0\0\0", Extent::Whole), Kind::Binary);
    assert_eq!(detect(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Extent::Whole), Kind::Binary);
    assert_eq!(detect(&[0; 100], Extent::Beginning), Kind::Binary);
    assert_eq!(detect(b"\x01\x02\x03\x04\x05", Extent::Whole), Kind::Binary);
}

#[test]
fn e7_a_character_cut_by_the_sample_is_still_utf8() {
    let bytes = "读取".as_bytes();
    assert_eq!(detect(&bytes[..5], Extent::Beginning), Kind::Text(TextEncoding::UTF8));
}

#[test]
fn e7_a_character_without_a_place_is_named() {
    let bytes = encoding_rs::GBK.encode("这是一个用来测试编码的文件，里面有足够多的中文。").0.into_owned();
    assert_eq!(found(&bytes).encode("ok 🎉"), Err('🎉'));
}
