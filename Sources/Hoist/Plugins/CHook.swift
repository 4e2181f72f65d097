public import CHoist
internal import HoistCore

final class CHook: HostAdapter<hoist_hook>, EvaluationHook, @unchecked Sendable {
  /// Most hooks one configuration may have.
  static let maximumPerConfiguration = 16

  var isCalled: Bool { table.before != nil || readsDetail || table.finally != nil }
  var readsDetail: Bool { table.after != nil || table.error != nil }

  func before(_ call: HookCall) -> Bool {
    guard let before = table.before else { return true }
    return with(call) { before(table.user_data, $0) == Status.ok.rawValue }
  }

  func after(_ call: HookCall, _ detail: EvaluationDetail) {
    guard let after = table.after else { return }
    with(call) { call in Handle.lend(detail) { after(table.user_data, call, $0) } }
  }

  func error(_ call: HookCall, _ detail: EvaluationDetail) {
    guard let error = table.error else { return }
    with(call) { call in Handle.lend(detail) { error(table.user_data, call, $0) } }
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
}

@_cdecl("hoist_config_add_hook") @implementation
public func hoist_config_add_hook(
  _ config: OpaquePointer?, _ hook: UnsafePointer<hoist_hook>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.take(config, hook, error, "hook", { CHook($0) }) { box, adapter in
    guard box.plugins.hooks.count < CHook.maximumPerConfiguration else {
      throw Refusal(.limit, "a configuration has at most \(CHook.maximumPerConfiguration) hooks")
    }
    box.plugins.hooks.append(adapter)
  }
}
