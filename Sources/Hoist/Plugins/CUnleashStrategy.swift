public import CHoist
internal import HoistBase
internal import HoistCore
internal import HoistUnleash

final class CUnleashStrategy: HostAdapter<hoist_unleash_strategy>, UnleashStrategy, @unchecked Sendable {
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
  PluginSlot.take(config, strategy, error, "strategy", { CUnleashStrategy($0) }) { box, adapter in
    let name = try CString.needPath(name, "the strategy's name")
    try box.require("unleash", "this strategy")
    box.plugins.vendor[UnleashPlugins.strategyPrefix + name] = adapter
  }
}
