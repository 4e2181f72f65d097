internal import Glibc
internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Who sends diagnostics, and how it is set up: the body of `diagnostic-init` (4.6).
struct DiagnosticOrigin: Sendable {
  /// The members of "configuration", in order.
  var configuration: [(name: String, value: Value)]
  /// The last characters of the mobile key.
  var keySuffix: String
  var wrapperName = ""
  var wrapperVersion = ""
  var isBackgroundEnabled = false

  enum Value: Sendable, Equatable {
    case bool(Bool)
    case int(Int64)
  }

  func event(id: String, unixMilliseconds: Int64) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      DiagnosticText.begin("diagnostic-init", unixMilliseconds, id: id, keySuffix: keySuffix, &writer)
      writer.key("sdk")
      writer.object { writer in
        let named = [("name", "hoist"), ("version", HoistVersion.text), ("wrapperName", wrapperName), ("wrapperVersion", wrapperVersion)]
        for (name, text) in named where !text.isEmpty {
          writer.key(name)
          writer.string(text)
        }
      }
      writer.key("configuration")
      writer.object { writer in
        for (name, value) in configuration {
          writer.key(name)
          switch value {
          case .bool(let value): writer.bool(value)
          case .int(let value): writer.int(value)
          }
        }
      }
      writer.key("platform")
      writer.object { writePlatform(to: &$0) }
    }
    return writer.bytes
  }

  private func writePlatform(to writer: inout JSONWriter) {
    let system = SystemFacts.current
    for (name, text) in [
      ("name", "swift"), ("systemName", system.name), ("systemVersion", system.release), ("deviceType", system.machine),
    ] {
      writer.key(name)
      writer.string(text)
    }
    writer.key("backgroundEnabled")
    writer.bool(isBackgroundEnabled)
    writer.key("streamingEnabled")
    writer.bool(true)
  }
}

/// The machine, in its own words.
struct SystemFacts: Sendable {
  let name: String
  let release: String
  let machine: String

  static var current: SystemFacts {
    var facts = utsname()
    guard uname(&facts) == 0 else { return SystemFacts(name: "Linux", release: "", machine: "") }
    func text<Field>(_ field: Field) -> String {
      withUnsafeBytes(of: field) { UTF8Text.repaired(ByteView(rebasing: $0.prefix { $0 != 0 })) }
    }
    return SystemFacts(name: text(facts.sysname), release: text(facts.release), machine: text(facts.machine))
  }
}
