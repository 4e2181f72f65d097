internal import HoistJSON

/// A toggle as the frontend API sends it (rows UNL-31 to UNL-34).
public struct UnleashToggle: Sendable, Equatable {
  public struct Payload: Sendable, Equatable {
    public var type: String
    public var value: String
    public init(type: String, value: String) {
      self.type = type
      self.value = value
    }
  }

  public struct Variant: Sendable, Equatable {
    public var name: String
    public var isEnabled: Bool
    public var featureEnabled: Bool?
    public var payload: Payload?
    public init(name: String, isEnabled: Bool, featureEnabled: Bool? = nil, payload: Payload? = nil) {
      self.name = name
      self.isEnabled = isEnabled
      self.featureEnabled = featureEnabled
      self.payload = payload
    }
  }

  public var name: String
  public var isEnabled: Bool
  public var hasImpressionData: Bool
  public var variant: Variant?

  public init(name: String, isEnabled: Bool, hasImpressionData: Bool = false, variant: Variant? = nil) {
    self.name = name
    self.isEnabled = isEnabled
    self.hasImpressionData = hasImpressionData
    self.variant = variant
  }

  /// Toggles in the service's answer format.
  public static func document(_ toggles: [UnleashToggle]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.array("toggles") { writer in
        for toggle in toggles { toggle.write(to: &writer) }
      }
    }
    return writer.bytes
  }

  /// Why a document cannot be read, in that format or in that of backend mode; nil when it can.
  public static func problem(in document: [UInt8]) -> String? {
    document.withUnsafeBytes { bytes in
      do throws(UnleashDocumentFailure) {
        try UnleashToggles.compile(bytes, context: nil, UnleashOptions()).snapshot.destroy()
        return nil
      } catch {
        if let features = try? UnleashFeatures.compile(bytes, UnleashOptions()) {
          features.snapshot.destroy()
          return nil
        }
        return error.message
      }
    }
  }

  private func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("name", name)
      writer.member("enabled", isEnabled)
      writer.member("impressionData", hasImpressionData)
      guard let variant else { return }
      writer.object("variant") { variant.write(to: &$0) }
    }
  }
}

extension UnleashToggle.Variant {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.member("name", name)
    writer.member("enabled", isEnabled)
    if let featureEnabled {
      writer.member("feature_enabled", featureEnabled)
    }
    guard let payload else { return }
    writer.object("payload") { writer in
      writer.member("type", payload.type)
      writer.member("value", payload.value)
    }
  }
}
