use rpdt::input::*;
struct H;
impl TagHandler for H {
    fn symbol(&mut self, n: &[u8]) -> Symbol {
        println!("sym {}", String::from_utf8_lossy(n));
        Symbol(n[0] as u32)
    }
    fn start_tag(&mut self, t: &StartTag<'_>) -> Result<Interest, rpdt::Error> {
        println!(
            "start {} {:?} {} {} {}",
            String::from_utf8_lossy(t.name),
            t.symbol,
            t.start,
            t.end,
            t.depth
        );
        Ok(Interest::TAGS)
    }
    fn end_tag(&mut self, t: &EndTag<'_>) -> Result<Interest, rpdt::Error> {
        println!("end {} {}", t.start, t.end);
        Ok(Interest::TAGS)
    }
    fn text(&mut self, _: &Text<'_>) -> Result<(), rpdt::Error> {
        Ok(())
    }
    fn markup(&mut self, _: &Markup<'_>) -> Result<(), rpdt::Error> {
        Ok(())
    }
}
fn main() {
    let d = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let mut s = QuickXmlSource::new(Default::default());
    let mut h = H;
    s.feed(&d, &mut h).unwrap();
    s.finish(&mut h).unwrap();
}
