internal import HoistJSON

/// The notification of sent events: `{"url":…,"event":{…}}` (protocols/optimizely.md 3.4, 5.5).
enum LogEventNotice {
  static func json(url: String, body: [UInt8]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("url")
      writer.string(url)
      writer.key("event")
      writer.raw(body)
    }
    return writer.bytes
  }
}
