public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistUnleash

/// A host's custom strategy.
final class CUnleashStrategy: UnleashStrategy, @unchecked Sendable {
  private let table: hoist_unleash_strategy

  init(_ table: hoist_unleash_strategy) { self.table = table }
  deinit { HostRelease.run(table.release, table.user_data) }

  func isEnabled(_ call: UnleashStrategyCall) -> Bool {
    guard let evaluate = table.evaluate else { return false }
    var texts: [CText] = []
    for index in 0..<call.parameterCount {
      guard let parameter = call.parameter(at: index) else { break }
      texts.append(CText(parameter.name))
      texts.append(CText(parameter.value))
    }
    let told = stride(from: 0, to: texts.count, by: 2).map {
      hoist_unleash_parameter(name: texts[$0].pointer, value: texts[$0 + 1].pointer)
    }
    // A context of the host's own kind, alive during the call.
    let context = call.merged
    _ = context.freeze()
    return withExtendedLifetime((texts, context)) {
      told.withUnsafeBufferPointer {
        evaluate(table.user_data, $0.baseAddress, $0.count, OpaquePointer(context.subject))
      }
    }
  }
}

@_cdecl("hoist_unleash_config_add_strategy") @implementation
public func hoist_unleash_config_add_strategy(
  _ config: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ strategy: UnsafePointer<hoist_unleash_strategy>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  var refusal: (Status, String)?
  let status = PluginSlot.set(
    config, strategy, size: strategy?.pointee.struct_size, zero: hoist_unleash_strategy(), error, kind: "strategy"
  ) {
    CUnleashStrategy($0)
  } store: { box, adapter in
    guard let name = CString.text(name), !name.isEmpty else {
      refusal = (.argument, "the strategy's name is NULL, empty or not UTF-8")
      return
    }
    guard box.factory?.name == "unleash" else {
      refusal = (.unsupported, "strategies are for unleash only")
      return
    }
    box.plugins.vendor[UnleashPlugins.strategyPrefix + name] = adapter
  }
  guard let refusal else { return status }
  return ErrorSlot(error).fail(refusal.0, refusal.1)
}
