import Testing

@testable import HoistPropertyList

@Suite("XML property lists")
struct PropertyListTests {
  private func list(_ content: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    \(content)
    </plist>
    """
  }

  private func problem(_ text: String) -> String {
    do throws(PropertyList.Failure) {
      _ = try PropertyList(text)
      return ""
    } catch {
      return error.message
    }
  }

  @Test("Every kind of value is read, with its line (KAM-01; no client)")
  func values() throws {
    let read = try PropertyList(
      list(
        """
        <dict>
          <key>text</key><string>a &amp; b é</string>
          <key>whole</key>
          <integer> 15 </integer>
          <key>real</key><real>15.0</real>
          <key>half</key><real>0.5</real>
          <key>yes</key><true/>
          <key>no</key><false/>
          <key>empty</key><string></string>
          <key>list</key><array><string>"x"</string><integer>1</integer><true/></array>
          <key>inner</key><dict><key>a</key><real>2.5</real></dict>
        </dict>
        """))
    #expect(read.entries.map(\.key) == ["text", "whole", "real", "half", "yes", "no", "empty", "list", "inner"])
    #expect(
      read.entries.map(\.text) == [
        "a & b é", "15", "15", "0.5", "true", "false", "", #"["\"x\"",1,true]"#, #"{"a":2.5}"#,
      ])
    #expect(read.entries.map(\.line) == [5, 7, 8, 9, 10, 11, 12, 13, 14])
  }

  @Test("An empty dictionary is a list without entries")
  func empty() throws {
    #expect(try PropertyList(list("<dict/>")).entries.isEmpty)
  }

  @Test(
    "What is no property list is refused with its line, and the key where there is one (KAM-01; no client)",
    arguments: [
      ("<dict>\n<key>a</key></dict>", "line 5: key \"a\" without a value"),
      ("<dict>\n<string>a</string></dict>", "line 5: a value without a key"),
      ("<dict><key>a</key>\n<integer>x</integer></dict>", "line 5, key \"a\": \"x\" is no number"),
      ("<dict><key>a</key>\n<integer>1 0</integer></dict>", "line 5, key \"a\": \"1 0\" is no number"),
      ("<dict><key>a</key><colour/></dict>", "line 4, key \"a\": element <colour> is none of a property list"),
      ("<array/>", "line 4: the root is no dictionary"),
      ("<string>a</string>", "line 4: the root is no dictionary"),
      ("<dict/><dict/>", "line 4: a second value at the root"),
      ("<dict><key>a</key><key>b</key></dict>", "line 4, key \"a\": a key where none belongs"),
      ("<dict>", "line 5: mismatched tag"),
      ("", "the root is no dictionary"),
    ])
  func refused(content: String, message: String) {
    #expect(problem(list(content)) == message)
  }

  @Test("Entities of its own, and depth without end, are refused")
  func attacks() {
    let entity = #"<!DOCTYPE plist [<!ENTITY a "b">]><plist><dict><key>k</key><string>&a;</string></dict></plist>"#
    #expect(problem(entity) == "line 1: a property list declares no entities")
    let deep =
      "<dict><key>a</key>" + String(repeating: "<array>", count: 100) + String(repeating: "</array>", count: 100) + "</dict>"
    #expect(problem(list(deep)).hasSuffix("nested too deeply"))
    #expect(problem("<dict/>") == "line 1: the root is no <plist>")
    #expect(problem("") == "line 1: no element found")
    #expect(problem("{}").hasPrefix("line 1: "))
  }
}
