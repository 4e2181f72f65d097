internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// The sender of a body of metrics. A body from an earlier run or another process names its own sender, and the headers
/// have to match it (protocol B.1, B.3).
enum MetricsSender {
  private static let members: [(header: String, member: String)] = [
    ("unleash-appname", "appName"), ("unleash-connection-id", "connectionId"), ("unleash-instanceid", "instanceId"),
  ]

  /// Makes the headers that are there say what the body says.
  static func adopt(from body: [UInt8], into headers: inout [HTTPHeader]) {
    guard let document = try? JSONDocument(parsing: body) else { return }
    for (header, member) in members where headers.value(of: header) != nil {
      let text = document.withRoot { $0.object?.member(member)?.string }
      // The body may come from a file: a value that would break a header is left out.
      if let text, HeaderText.isSafeValue(text) { headers.set(header, text) }
    }
  }
}
