internal import HoistBase
internal import HoistCore

/// What is known of the application and the machine, as two more kinds of a context (row LD-80,
/// protocols/launchdarkly.md 3.7).
struct EnvironmentAttributes: Sendable {
  static let applicationKind = "ld_application"
  static let deviceKind = "ld_device"
  private static let version: LDValue = "1.0"

  let application: ApplicationInfo
  let machine: MachineFacts

  /// - Parameter application: as the host names it. Without an id that can be sent, the library is named instead (2.1).
  init(application: ApplicationInfo, machine: MachineFacts) {
    self.application = application.id.flatMap { ApplicationTags.sendable($0) } == nil ? .library : application
    self.machine = machine
  }

  /// The context with both kinds, but for those that it has already; unchanged when they do not fit.
  /// - Parameter deviceKey: nil leaves the device out.
  func completing(_ context: LDContext, deviceKey: String?) -> LDContext {
    var builder = LDMultiContextBuilder()
    do {
      try builder.add(context)
      if context.part(ofKind: Self.applicationKind) == nil { try builder.add([applicationPart()]) }
      if context.part(ofKind: Self.deviceKind) == nil, let deviceKey { try builder.add([devicePart(deviceKey)]) }
      return try builder.build()
    } catch {
      return context
    }
  }

  private func applicationPart() throws(ContextFailure) -> SingleContext {
    let key = Base64.encode(SHA256.hash(application.id ?? ""), alphabet: .urlSafe)
    var builder = LDContextBuilder(kind: Self.applicationKind, key: key)
    try builder.set("envAttributesVersion", Self.version)
    try builder.set("id", text(application.id))
    try builder.set("version", text(application.version))
    try builder.set("versionName", text(application.versionName))
    try builder.set("locale", text(machine.locale))
    builder.name = application.name
    return try builder.single()
  }

  private func devicePart(_ key: String) throws(ContextFailure) -> SingleContext {
    var system = LDObject()
    for (name, value) in [("family", machine.family), ("name", machine.system), ("version", machine.systemVersion)] {
      if let value { system.set(name, .string(value)) }
    }
    var builder = LDContextBuilder(kind: Self.deviceKind, key: key)
    try builder.set("envAttributesVersion", Self.version)
    try builder.set("manufacturer", text(machine.manufacturer))
    try builder.set("model", text(machine.model))
    try builder.set("os", .object(system))
    return try builder.single()
  }

  /// Null, which sets nothing, for an unknown one.
  private func text(_ value: String?) -> LDValue { value.map { .string($0) } ?? .null }
}

extension ApplicationInfo {
  /// Used for an application that is not named.
  static var library: ApplicationInfo {
    ApplicationInfo(
      id: "hoist-client-sdk", name: "hoist-client-sdk", version: HoistVersion.text, versionName: HoistVersion.text)
  }
}
