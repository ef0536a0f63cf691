//! Computes the output of `cksum`: the POSIX CRC and the size in bytes. It detects file changes, but not malicious ones.

/// The polynomial of POSIX, for each value of a byte.
const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "it is below 256")]
        let mut crc = (byte as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 0x8000_0000 == 0 { crc << 1 } else { (crc << 1) ^ 0x04c1_1db7 };
            bit += 1;
        }
        #[expect(clippy::indexing_slicing, reason = "both have 256 places")]
        {
            table[byte] = crc;
        }
        byte += 1;
    }
    table
}

/// Returns the output of `cksum` for bytes on its stdin.
pub(super) fn output(bytes: &[u8]) -> String {
    format!("{} {}", crc(bytes), bytes.len())
}

/// Returns the first number that `cksum` prints.
pub(super) fn crc(bytes: &[u8]) -> u32 {
    let mut length = bytes.len();
    let mut lengths = Vec::new();
    while length > 0 {
        lengths.push(u8::try_from(length & 0xff).unwrap_or_default());
        length >>= 8;
    }
    let crc = bytes.iter().chain(&lengths).fold(0, |crc: u32, byte| {
        let [top, ..] = crc.to_be_bytes();
        let step = TABLE.get(usize::from(top ^ byte)).copied().unwrap_or_default();
        (crc << 8) ^ step
    });
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_cksum_says() {
        // Source: cksum of GNU coreutils 9.1.
        for (bytes, want) in
            [(&b""[..], "4294967295 0"), (b"a\n", "2418082923 2"), (b"123456789", "930766865 9")]
        {
            assert_eq!(output(bytes), want);
        }
    }
}
