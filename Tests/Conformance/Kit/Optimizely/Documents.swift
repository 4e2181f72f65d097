import HoistBase
import HoistJSON
import HoistOptimizely

/// Which texts are datafiles.
func runDatafileParse(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    var actual = "null"
    do {
      _ = try Project(bytes(test["datafile"]))
    } catch OptimizelyDatafileFailure.invalid {
      actual = "\"dataFileInvalid\""
    } catch OptimizelyDatafileFailure.versionInvalid {
      actual = "\"dataFileVersionInvalid\""
    } catch {
      actual = "\(error)"
    }
    report.check("\(id) \(test["note"]?.string ?? "")", expected: test["expectError"]?.canonicalText ?? "-", actual: actual)
  }
}

/// Texts of variables as values.
func runVariables(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    guard let project = try? Project(datafile(of: test)), let flag = project.flag("f") else {
      return report.fail(id, expected: "a datafile", actual: "none")
    }
    let visitor = Visitor("user", nil)
    let (decision, reasons) = OptimizelyFlags.explain(
      flag, in: project.snapshot, context: visitor.frozen, subject: nil, options: [])
    let document = try? JSONDocument(parsing: Array(decision.variables))
    let value = document?.withRoot { $0["k"].map { typed($0) } } ?? "nothing"
    let isValid = test["valid"]?.bool ?? false
    report.check(
      id,
      expected: isValid ? test["expect"].map { typed($0) } ?? "-" : "nothing \(test["expectReason"]?.string ?? "-")",
      actual: isValid && reasons.isEmpty ? value : "\(value) \(reasons.map(\.text).joined(separator: ","))")
  }
}

/// A value that tells integers from doubles.
private func typed(_ value: JSONValue) -> String { String(decoding: value.source, as: UTF8.self) }

private func datafile(of test: JSONValue) -> [UInt8] {
  smallDatafile("featureFlags") { writer in
    for (name, value) in [("id", "1"), ("key", "f"), ("rolloutId", "")] { writer.member(name, value) }
    writer.key("experimentIds")
    writer.array { _ in }
    writer.key("variables")
    writer.array { writer in
      writer.object { writer in
        writer.member("id", "1")
        writer.member("key", "k")
        writer.member("type", test["type"]?.string ?? "")
        if let subtype = test["subType"]?.string { writer.member("subType", subtype) }
        writer.member("defaultValue", test["value"]?.string ?? "")
      }
    }
  }
}

/// The listing of a project.
func runOptimizelyConfig(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    guard let text = try? OptimizelyConfigText.json(ofDatafile: test["datafile"]?.source ?? []),
      let document = try? JSONDocument(parsing: text), let expected = test["expect"]
    else { return report.fail(id, expected: "a listing", actual: "none") }
    document.withRoot { actual in
      for (name, value) in members(expected) {
        let found = actual.object?.member(name.utf8)
        report.check(
          "\(id) \(name.string)", expected: comparable(name.string, value),
          actual: found.map { comparable(name.string, $0) } ?? "-")
      }
    }
  }
}

/// Audiences with their conditions parsed, flags without what vectors leave out.
private func comparable(_ name: String, _ value: JSONValue) -> String {
  var writer = JSONWriter()
  switch name {
  case "audiences":
    writer.array { writer in for audience in value.array?.map({ $0 }) ?? [] { write(audience: audience, to: &writer) } }
  case "featuresMap":
    writer.object { writer in
      for (key, flag) in members(value) {
        writer.key(utf8: key.utf8)
        write(flag: flag, to: &writer)
      }
    }
  default: return value.canonicalText
  }
  return canonical(text: writer.bytes)
}

private func write(audience: JSONValue, to writer: inout JSONWriter) {
  writer.object { writer in
    for (name, value) in members(audience) {
      writer.key(utf8: name.utf8)
      if name == "conditions", let text = value.string, let document = try? JSONDocument(parsing: text) {
        document.withRoot { writer.raw($0.source) }
      } else {
        writer.raw(value.source)
      }
    }
  }
}

private func write(flag: JSONValue, to writer: inout JSONWriter) {
  writer.object { writer in
    for (name, value) in members(flag) where !(name == "experimentsMap") {
      writer.key(utf8: name.utf8)
      guard name == "deliveryRules" else {
        writer.raw(value.source)
        continue
      }
      writer.array { writer in for rule in value.array?.map({ $0 }) ?? [] { write(delivery: rule, to: &writer) } }
    }
  }
}

private func write(delivery rule: JSONValue, to writer: inout JSONWriter) {
  writer.object { writer in
    for (name, value) in members(rule) {
      writer.key(utf8: name.utf8)
      guard name == "variationsMap" else {
        writer.raw(value.source)
        continue
      }
      writer.object { writer in
        for (key, variation) in members(value) {
          writer.key(utf8: key.utf8)
          writer.object { writer in
            for (name, value) in members(variation) where !(name == "variablesMap") {
              writer.key(utf8: name.utf8)
              writer.raw(value.source)
            }
          }
        }
      }
    }
  }
}
