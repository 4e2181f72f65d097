public import CHoist
internal import HoistCore
internal import HoistUnleash

final class CUnleashStorage: HostAdapter<hoist_unleash_storage>, UnleashStorage, @unchecked Sendable {
  func set(_ toggles: [UnleashToggle]) {
    guard let set = table.set else { return }
    let held = toggles.map { HeldToggle($0) }
    let told = held.map(\.table)
    withExtendedLifetime(held) { told.withUnsafeBufferPointer { set(table.user_data, $0.baseAddress, $0.count) } }
  }

  func value(_ name: String) -> UnleashToggle? {
    guard let value = table.value else { return nil }
    let sink = ToggleSink()
    let status = Handle.lend(sink) { sink in name.withCString { value(table.user_data, $0, sink) } }
    return status == Status.ok.rawValue ? sink.toggle : nil
  }

  func clear() { table.clear?(table.user_data) }
}

/// What a `hoist_unleash_toggle_sink` handle points at, during one call.
final class ToggleSink {
  var toggle: UnleashToggle?
}

/// A toggle's texts as C sees them.
private final class HeldToggle {
  private let name: CText
  private let variant: (name: CText, type: CText?, value: CText?)?
  let table: hoist_unleash_toggle

  init(_ toggle: UnleashToggle) {
    name = CText(toggle.name)
    variant = toggle.variant.map { variant in
      (CText(variant.name), variant.payload.map { CText($0.type) }, variant.payload.map { CText($0.value) })
    }
    let sent = toggle.variant?.featureEnabled
    table = hoist_unleash_toggle(
      struct_size: MemoryLayout<hoist_unleash_toggle>.size, name: name.pointer, enabled: toggle.isEnabled,
      impression_data: toggle.hasImpressionData, variant_name: variant?.name.pointer,
      variant_enabled: toggle.variant?.isEnabled ?? false, variant_feature_enabled: sent.map { $0 ? 1 : 0 } ?? -1,
      payload_type: variant?.type?.pointer, payload_value: variant?.value?.pointer)
  }
}

@_cdecl("hoist_unleash_toggle_sink_put") @implementation
public func hoist_unleash_toggle_sink_put(
  _ sink: OpaquePointer?, _ toggle: UnsafePointer<hoist_unleash_toggle>?
) -> hoist_status {
  guard let sink = Handle<ToggleSink>.borrow(sink), let toggle, let read = CToggle.read(toggle) else {
    return Status.argument.rawValue
  }
  sink.toggle = read
  return Status.ok.rawValue
}

@_cdecl("hoist_unleash_config_set_storage") @implementation
public func hoist_unleash_config_set_storage(
  _ config: OpaquePointer?, _ storage: UnsafePointer<hoist_unleash_storage>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> hoist_status {
  PluginSlot.set(
    config, storage, error, "storage", \.vendor[UnleashPlugins.storage], for: "unleash"
  ) { CUnleashStorage($0) }
}
