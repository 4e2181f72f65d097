internal import HoistCore

/// What a client's options say of contexts.
extension LaunchDarklySettings {
  var application: ApplicationInfo {
    func given(_ text: String) -> String? { text.isEmpty ? nil : text }
    return ApplicationInfo(
      id: given(applicationID), name: given(applicationName), version: given(applicationVersion),
      versionName: given(applicationVersionName))
  }

  /// Nil where contexts are not completed. Reads small files of the system.
  var environmentAttributes: EnvironmentAttributes? {
    completesContexts ? EnvironmentAttributes(application: application, machine: .current()) : nil
  }

  /// The application as it is told in headers: as contexts tell it, where they do (2.1 "Tags").
  var tags: ApplicationTags {
    ApplicationTags(
      completesContexts ? EnvironmentAttributes(application: application, machine: MachineFacts()).application : application)
  }

  var redaction: Redaction {
    Redaction(
      allAttributesPrivate: allAttributesArePrivate, globalPrivate: privateAttributes.map { AttributeReference($0) })
  }
}
