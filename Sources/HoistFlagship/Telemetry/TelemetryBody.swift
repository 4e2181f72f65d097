internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// The envelope of reports: every value is a text (protocols/flagship.md 6.4).
struct TelemetryBody {
  let settings: FlagshipSettings
  let instanceID: String
  let sessionID: String
  let unixMilliseconds: Int64

  func json(isUsage: Bool, label: String, _ more: [(String, String)]) -> [UInt8] {
    let common: [(String, String)] = [
      ("version", "1"), ("envId", settings.environmentID),
      ("timestamp", RFC3339.text(unixMilliseconds: unixMilliseconds, precision: .milliseconds)), ("timeZone", "UTC"),
      ("label", label), ("stack.type", "SDK"), ("stack.name", settings.clientName), ("stack.version", HoistVersion.text),
      ("flagshipInstanceId", instanceID), ("logLevel", TroubleshootingLabel.logLevel(of: label)),
    ]
    var writer = JSONWriter(reservingCapacity: 1_024)
    writer.object { writer in
      func member(_ name: String, _ value: String) {
        writer.key(name)
        writer.string(value)
      }
      member("t", isUsage ? "USAGE" : "TROUBLESHOOTING")
      member("cid", settings.environmentID)
      member("ds", "APP")
      member("vid", sessionID)
      writer.key("qt")
      writer.int(0)
      writer.key("cv")
      writer.object { writer in
        for (name, value) in common + more {
          writer.key(name)
          writer.string(value)
        }
      }
    }
    return writer.bytes
  }
}
