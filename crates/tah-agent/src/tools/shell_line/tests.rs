//! Lines, and what they must never be taken for.

use super::*;

fn read(line: &str) -> ShellLine {
    ShellLine::read(line, |path| !path.starts_with('/') && !path.starts_with(".."))
}

fn always(line: &str) -> Option<String> {
    read(line).always.map(|prefixes| prefixes.join(" + "))
}

#[test]
fn a_compound_line_is_all_its_commands() {
    let line = read("git add -A && git commit -m 'a; b' | tee log; echo done & ls\npwd");
    assert_eq!(line.subjects, ["git add -A", "git commit -m a; b", "tee log", "echo done", "ls", "pwd"]);
    assert_eq!(
        line.always.unwrap(),
        ["git add", "git commit", "tee log", "echo done", "ls", "pwd"].map(str::to_owned)
    );
}

#[test]
fn always_is_the_first_words() {
    assert_eq!(always("git log -3").as_deref(), Some("git log"));
    assert_eq!(always("cargo test -p x 2>&1").as_deref(), Some("cargo test"));
    assert_eq!(always("npm run build -- --prod").as_deref(), Some("npm run build"));
    assert_eq!(always("ls -la").as_deref(), Some("ls"));
    assert_eq!(always("make > /dev/null 2>&1").as_deref(), Some("make"));
    assert_eq!(always("make > out.txt").as_deref(), Some("> out.txt + make"));
}

#[test]
fn always_is_never_offered_for_what_is_not_known() {
    for line in [
        "echo $(rm -rf x)",
        "echo `rm -rf x`",
        "cat <(rm x)",
        "echo \"$(rm x)\"",
        "git log > /etc/passwd",
        "git log >../x",
        "git log >>~/x",
        "git log &> $HOME/x",
        "ls 2>/etc/x",
        "sudo ls",
        "bash -c 'ls'",
        "xargs rm",
        "find . -delete",
        "FOO=1 ls",
        "$CMD x",
        "{rm,-rf,x}",
        "echo 'open",
        "cat <<EOF\nx\nEOF",
        "if true; then ls; fi",
        "for f in *; do rm $f; done",
        "(ls)",
        "f() { ls; }",
        "eval ls",
        "python -c 'x'",
        "echo ${x:-$(rm y)}",
        "echo $'a'",
        "",
        "  ",
        "echo $((1+$(rm x)))",
        "ls >& /etc/x",
        "cat <> /etc/x",
        ". ./x",
    ] {
        assert_eq!(always(line), None, "{line}");
    }
}

#[test]
fn a_denied_command_is_found_wherever_it_hides() {
    for line in [
        "ls; rm -rf x",
        "ls && rm -rf x",
        "ls | rm -rf x",
        "ls & rm -rf x",
        "ls\nrm -rf x",
        "echo $(rm -rf x)",
        "echo \"`rm -rf x`\"",
        "/bin/rm -rf x",
        "\\rm -rf x",
        "r''m -rf x",
        "\"rm\" -rf x",
        "sudo rm -rf x",
        "sudo -n rm -rf x",
        "env A=1 rm -rf x",
        "A=1 rm -rf x",
        "timeout 5 rm -rf x",
        "bash -c 'ls; rm -rf x'",
        "sh -c \"rm -rf x\"",
        "if true; then rm -rf x; fi",
        "(rm -rf x)",
        "{ rm -rf x; }",
        "! rm -rf x",
        "cat <(rm -rf x)",
        "eval 'rm -rf x'",
        "nohup rm -rf x &",
        "while :; do rm -rf x; done",
        "rm -rf x > y",
        "> y rm -rf x",
        "rm\\\n -rf x",
        "find . -exec rm -rf x ;",
        "ls | xargs rm -rf x",
    ] {
        let subjects = read(line).subjects;
        assert!(subjects.iter().any(|subject| subject.starts_with("rm -rf x")), "{line}: {subjects:?}");
    }
}

#[test]
fn nothing_rides_on_an_allowed_prefix() {
    // Each of these has a subject that does not begin with `git `.
    for line in [
        "git log; rm x",
        "git log $(rm x)",
        "git log > x",
        "git log | sh",
        "git 'open",
        "git log <(rm x)",
        "git log `rm x`",
        "git log\nrm x",
        "git log & rm x",
        "git log <<E\n$(rm x)\nE",
        "if git x; then rm y; fi",
        "GIT_SSH=x git fetch",
        "(git log)",
        "git log ${x:-`rm x`}",
    ] {
        let subjects = read(line).subjects;
        assert!(subjects.iter().any(|subject| !subject.starts_with("git ")), "{line}: {subjects:?}");
    }
}

#[test]
fn quotes_comments_and_descriptors_are_no_commands() {
    assert_eq!(read("echo 'a; rm x' \"b && c\" # ; rm y").subjects, ["echo a; rm x b && c"]);
    assert_eq!(read("ls 2>&1 >/dev/null").subjects, ["ls"]);
    assert_eq!(read("sort < in.txt").subjects, ["sort"]);
    assert_eq!(read("echo a#b").subjects, ["echo a#b"]);
}
