public import CHoist
internal import HoistCore

/// A host's evaluation hook.
final class CHook: EvaluationHook, @unchecked Sendable {
  /// Most hooks one configuration may have.
  static let maximumPerConfiguration = 16
  private let table: hoist_hook

  init(_ table: hoist_hook) { self.table = table }
  deinit { HostRelease.run(table.release, table.user_data) }

  func before(_ call: HookCall) -> Bool {
    guard let before = table.before else { return true }
    return with(call) { before(table.user_data, $0) == Status.ok.rawValue }
  }

  func after(_ call: HookCall, _ detail: EvaluationDetail) {
    guard let after = table.after else { return }
    with(call) { after(table.user_data, $0, Self.handle(detail)) }
  }

  func error(_ call: HookCall, _ detail: EvaluationDetail) {
    guard let error = table.error else { return }
    with(call) { error(table.user_data, $0, Self.handle(detail)) }
  }

  func finally(_ call: HookCall) {
    guard let finally = table.finally else { return }
    with(call) { finally(table.user_data, $0) }
  }

  private func with<Result>(_ call: HookCall, _ body: (UnsafePointer<hoist_hook_call>) -> Result) -> Result {
    let key = CText(call.key)
    var told = hoist_hook_call(
      struct_size: MemoryLayout<hoist_hook_call>.size, key: key.pointer, context: call.context.map { OpaquePointer($0) })
    return withExtendedLifetime(key) { body(&told) }
  }

  private static func handle(_ detail: EvaluationDetail) -> OpaquePointer {
    OpaquePointer(Unmanaged.passUnretained(detail).toOpaque())
  }
}

@_cdecl("hoist_config_add_hook") @implementation
public func hoist_config_add_hook(
  _ config: OpaquePointer?, _ hook: UnsafePointer<hoist_hook>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  var isFull = false
  let status = PluginSlot.set(
    config, hook, size: hook?.pointee.struct_size, zero: hoist_hook(), error, kind: "hook"
  ) {
    CHook($0)
  } store: { box, adapter in
    isFull = box.plugins.hooks.count >= CHook.maximumPerConfiguration
    if !isFull { box.plugins.hooks.append(adapter) }
  }
  return isFull ? ErrorSlot(error).fail(.limit, "a configuration has at most \(CHook.maximumPerConfiguration) hooks") : status
}
