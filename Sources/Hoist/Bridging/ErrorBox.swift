internal import CHoist
internal import HoistCore

/// What a `hoist_error` handle holds.
final class ErrorBox: Sendable {
  let status: Status
  let message: CText

  init(_ status: Status, _ message: String) {
    self.status = status
    self.message = CText(Self.oneLine(message))
  }

  /// A message may quote the host's own text, which may be long and hold anything.
  private static func oneLine(_ text: String) -> String {
    let limit = 1000
    let scalars = text.unicodeScalars.lazy.map { $0.properties.generalCategory == .control ? " " : $0 }
    var line = String(String.UnicodeScalarView(scalars.prefix(limit)))
    if text.utf8.count > limit, text.unicodeScalars.dropFirst(limit).first != nil { line += "…" }
    return line
  }
}

/// Where a C function puts its error: the caller's pointer, or nowhere.
struct ErrorSlot {
  private let slot: UnsafeMutablePointer<OpaquePointer?>?

  /// Sets the caller's pointer to NULL.
  init(_ slot: UnsafeMutablePointer<OpaquePointer?>?) {
    self.slot = slot
    slot?.pointee = nil
  }

  /// Stores the reason and returns the status to hand back.
  func fail(_ status: Status, _ message: String) -> hoist_status {
    if let slot { slot.pointee = Handle<ErrorBox>.give(ErrorBox(status, message)) }
    return status.rawValue
  }

  func fail(_ failure: ConfigurationFailure) -> hoist_status { fail(.configuration, failure.message) }
}
