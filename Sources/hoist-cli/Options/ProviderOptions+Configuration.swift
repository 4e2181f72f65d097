/// Options become properties.
extension ProviderOptions {
  /// What a command does with the service.
  enum Use {
    /// Looks only: nothing is reported, and the store of the machine's programs is left alone.
    case look
    /// Reports events.
    case report
    /// Sends what other processes have recorded.
    case forward
    /// Shows properties as a program would have them.
    case show
  }

  func configuration(for use: Use, provider named: String? = nil) throws -> Configuration {
    let configuration = try keyless(for: use, provider: named)
    try setKey(in: configuration)
    return configuration
  }

  /// The tool's own choices first, then the file, --set, and the options with a name of their own; but for the key's.
  func keyless(for use: Use, provider named: String? = nil) throws -> Configuration {
    let configuration = try Configuration(provider: named ?? provider)
    if use != .show {
      try configuration.set("store", "memory", from: "store")
      try configuration.set("dispatch", "manual", from: "dispatch")
      try configuration.set("log.level", verbose ? "debug" : "warning", from: "log.level")
    }
    if use == .forward {
      // Little at a time, and often: so several share the work.
      for (name, value) in [("events.claim_ms", "500"), ("events.capacity", "2000"), ("events.flush_interval_ms", "1000")] {
        try configuration.set(name, value, from: name)
      }
    }
    if use == .look {
      for (name, value) in configuration.traits.silentProperties { try configuration.set(name, value, from: name) }
    }
    if features != nil, let mode = configuration.traits.fileMode { try configuration.set("mode", mode, from: "--features") }
    if let config { try configuration.apply(InputFile.read(config, for: "--config"), from: "--config \(config)") }
    configuration.noticeKey()
    for property in properties { try set(property, in: configuration) }
    if let url {
      for name in configuration.traits.addressProperties { try set(name, url, from: "--url", in: configuration) }
    }
    if let streamUrl { try set("stream_url", streamUrl, from: "--stream-url", in: configuration) }
    if let features { try setOffline(features, in: configuration) }
    return configuration
  }

  private func set(_ property: String, in configuration: Configuration) throws {
    guard let equals = property.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      throw Problem(.usage, "--set \(property): is not of the form name=value; `hoist config` lists the names")
    }
    let name = String(property[..<equals])
    let value = String(property[property.utf8.index(after: equals)...])
    if configuration.row(name)?.isSecret == true {
      throw Problem(
        .usage,
        "--set \(name)=… would show the secret to every user of this machine; use the environment variable HOIST_KEY or --key-file FILE"
      )
    }
    try configuration.set(name, value, from: "--set \(name)", .usage)
  }

  private func set(_ name: String, _ value: String, from option: String, in configuration: Configuration) throws {
    guard configuration.row(name) != nil else {
      throw Problem(.usage, "\(option): provider \(configuration.traits.name) has no property \"\(name)\"")
    }
    try configuration.set(name, value, from: option, .usage)
  }

  private func setOffline(_ path: String, in configuration: Configuration) throws {
    guard let properties = configuration.traits.offlineProperties(features: path) else {
      throw Problem(.usage, "--features: provider \(configuration.traits.name) evaluates no files")
    }
    for (name, value) in properties { try configuration.set(name, value, from: "--features") }
  }

  func setKey(in configuration: Configuration) throws {
    if let mobileKey {
      guard configuration.row("mobile_key") != nil else {
        throw Problem(.usage, "--mobile-key: provider \(configuration.traits.name) has no property \"mobile_key\"")
      }
      guard configuration.value(of: "mode") != "server" else {
        throw Problem(
          .usage,
          "--mobile-key would show the SDK key of mode server to every user of this machine; use the environment variable HOIST_KEY or --key-file FILE"
        )
      }
      try configuration.setKey(Array(mobileKey.utf8), from: .argument("--mobile-key"), named: "--mobile-key")
    } else if let keyFile {
      try configuration.setKey(InputFile.read(keyFile, for: "--key-file"), from: .file(keyFile), named: "--key-file \(keyFile)")
    } else if let key = Terminal.variable("HOIST_KEY") {
      try configuration.setKey(Array(key.utf8), from: .environment, named: "HOIST_KEY")
    }
  }
}
