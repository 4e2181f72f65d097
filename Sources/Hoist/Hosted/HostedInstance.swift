internal import CHoist
internal import CShims
internal import HoistBase
internal import HoistCore
internal import Synchronization

/// A provider's table, whose `release` runs with the last reference.
final class HostedTable: @unchecked Sendable {
  let members: hoist_provider
  init(_ table: hoist_provider) { members = table }
  deinit { HostRelease.run(members.release, members.user_data) }
}

/// What `create` makes for one client. `destroy` runs when it can no longer be called: not by the client, by a snapshot
/// that is still read, or by a call in progress.
final class HostedInstance: @unchecked Sendable {
  let table: HostedTable
  /// Set by `adopt`, before it is read.
  private(set) var pointer: UnsafeMutableRawPointer?
  private var isMade = false
  /// Between the client's end and its next start no call begins.
  let isOpen = Atomic(true)
  /// Evaluations that were answered with what cannot be.
  let wrongAnswers = Atomic<Int64>(0)

  init(_ table: HostedTable) { self.table = table }

  /// Sets the instance that `create` made, and that `destroy` has to end.
  func adopt(_ pointer: UnsafeMutableRawPointer?) {
    self.pointer = pointer
    isMade = true
  }

  deinit {
    guard isMade else { return }
    let last = Unmanaged.passRetained(Destruction(table, pointer)).toOpaque()
    HostRelease.run({ $0.map { Unmanaged<Destruction>.fromOpaque($0).takeRetainedValue().run() } }, last)
  }

  /// The table goes after it, wherever it runs.
  private final class Destruction {
    private let table: HostedTable
    private let pointer: UnsafeMutableRawPointer?

    init(_ table: HostedTable, _ pointer: UnsafeMutableRawPointer?) {
      self.table = table
      self.pointer = pointer
    }

    func run() { table.members.destroy?(pointer) }
  }
}

/// What the provider says of a flag that it decides per call.
struct HostedDecision {
  var isEnabled = false
  var variation: Int32 = -1
  var reason = Reason.unknown
  var refusal: (code: ErrorCode, message: StaticString)?
}

/// Calls on evaluating threads: no lock, no allocation of Hoist's.
extension HostedInstance {
  func decide(
    _ flag: UnsafePointer<HostedFlagRecord>, _ base: UnsafeRawPointer, context: UnsafeRawPointer?
  ) -> HostedDecision {
    guard let evaluate = table.members.evaluate, isOpen.load(ordering: .acquiring) else {
      return HostedDecision(refusal: (.providerNotReady, "the client is closed"))
    }
    return BorrowedContext.with(context) { context in
      var call = hoist_provider_evaluation(
        struct_size: MemoryLayout<hoist_provider_evaluation>.size, key: flag.pointee.key(base), context: context,
        enabled: true, variation: flag.pointee.defaultVariation, reason: hoist_reason(Reason.default.rawValue))
      // So that what it records is known to belong to an evaluation; a view's is in no section.
      let slot = shim_enter()
      let status = Status(rawValue: evaluate(pointer, &call))
      shim_leave(slot)
      guard status == .ok else { return HostedDecision(refusal: Self.refusal(status)) }
      guard call.variation >= -1, call.variation < max(flag.pointee.variationCount, 1),
        let reason = UInt8(exactly: call.reason).flatMap(Reason.init(rawValue:)), reason != .error
      else {
        wrongAnswers.wrappingAdd(1, ordering: .relaxed)
        return HostedDecision(
          refusal: (.general, "the provider chose a variation that the flag does not have, or gave no known reason"))
      }
      return HostedDecision(isEnabled: call.enabled, variation: call.variation, reason: reason)
    }
  }

  private static func refusal(_ status: Status) -> (code: ErrorCode, message: StaticString) {
    switch status {
    case .argument: (.invalidContext, "the provider cannot decide the flag for this context")
    case .state: (.providerNotReady, "the provider cannot decide the flag yet")
    default: (.general, "the provider failed to decide the flag")
    }
  }

  /// Hands an evaluation that is over to a member of the table.
  func tell<Result>(
    _ evaluation: borrowing Evaluation, _ record: UnsafeRawPointer, _ snapshot: Snapshot, context: FrozenContext?,
    _ body: (UnsafePointer<hoist_provider_evaluation>) -> Result
  ) -> Result {
    let flag = record.assumingMemoryBound(to: HostedFlagRecord.self)
    let (enabled, variation, reason) = (evaluation.enabled, evaluation.variationIndex, evaluation.reason)
    let inherited = evaluation.inherited
    return BorrowedContext.with(context?.base ?? inherited) { context in
      var call = hoist_provider_evaluation(
        struct_size: MemoryLayout<hoist_provider_evaluation>.size, key: flag.pointee.key(snapshot.base),
        context: context, enabled: enabled, variation: variation,
        reason: reason == .error ? 0 : hoist_reason(reason.rawValue))
      return body(&call)
    }
  }
}

extension HostedFlagRecord {
  fileprivate func key(_ base: UnsafeRawPointer) -> UnsafePointer<CChar>? {
    head.name.bytes(base).chars
  }
}

/// A frozen context as a handle that lives for one call, made of nothing but the stack.
enum BorrowedContext {
  @inline(__always)
  static func with<Result>(_ frozen: UnsafeRawPointer?, _ body: (OpaquePointer?) -> Result) -> Result {
    guard let frozen else { return body(nil) }
    var subject = shim_subject(
      magic: ContextMagic.value, frozen: UnsafeMutableRawPointer(mutating: frozen), object: nil)
    return withUnsafeMutablePointer(to: &subject) { body(OpaquePointer($0)) }
  }
}
