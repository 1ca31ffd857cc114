/** Certificates, made where a test needs them. */
import "npm:reflect-metadata@0.2.2";

export {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "npm:@peculiar/x509@2.2.0";
