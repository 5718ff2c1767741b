//! The binary; everything is in the library.

fn main() -> std::process::ExitCode {
    tah_cli::main()
}
