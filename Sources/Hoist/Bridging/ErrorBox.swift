internal import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistLaunchDarkly
internal import HoistKameleoon
internal import HoistOptimizely
internal import HoistUnleash

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
    var line = LineText.clean(String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit))))
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

  fileprivate func fail(_ error: any Error) -> hoist_status {
    guard let failure = error as? any CallFailure else { return fail(.argument, "the call failed") }
    return fail(failure.status, failure.message)
  }
}

/// An error that a C function can tell.
protocol CallFailure: Error {
  var status: Status { get }
  /// One line.
  var message: String { get }
}

/// Why a call of the host's is refused.
struct Refusal: CallFailure {
  let status: Status
  let message: String

  init(_ status: Status, _ message: String) {
    self.status = status
    self.message = message
  }
}

extension ConfigurationFailure: CallFailure { var status: Status { .configuration } }
extension PropertyListing.Failure: CallFailure { var status: Status { isUnreadable ? .parse : .configuration } }
extension ContextJSON.Failure: CallFailure { var status: Status { .parse } }
extension FileContent.Failure: CallFailure { var status: Status { .io } }
extension CacheFailure: CallFailure { var status: Status { .io } }
extension UnleashDocumentFailure: CallFailure { var status: Status { .parse } }
extension PlatformFailure: CallFailure {}
extension FetchFailure: CallFailure {}
extension ContextFailure: CallFailure {}
extension ConfigurationFile.Failure: CallFailure {}
extension KameleoonCreationFailure: CallFailure {}

/// A call that has no more to say.
extension Status: CallFailure {
  var status: Status { self }
  var message: String { "the call failed" }
}

extension EvaluationContext.Refusal: CallFailure {
  var status: Status {
    switch self {
    case .invalidUTF8, .notFinite: .argument
    case .nameTooLong, .valueTooLarge, .tooManyAttributes: .limit
    }
  }
  var message: String { rawValue }
}

/// The status of a call that ends well unless it throws.
func attempt(_ error: UnsafeMutablePointer<OpaquePointer?>? = nil, _ body: () throws -> Void) -> hoist_status {
  answer(error) {
    try body()
    return .ok
  }
}

/// The status of a call that has a status of its own, of which no more is said.
func answer(_ error: UnsafeMutablePointer<OpaquePointer?>? = nil, _ body: () throws -> Status) -> hoist_status {
  let slot = ErrorSlot(error)
  do { return try body().rawValue } catch { return slot.fail(error) }
}

/// What a call makes; nil when it throws.
func result<Value>(_ error: UnsafeMutablePointer<OpaquePointer?>?, _ body: () throws -> Value?) -> Value? {
  let slot = ErrorSlot(error)
  do { return try body() } catch {
    _ = slot.fail(error)
    return nil
  }
}
