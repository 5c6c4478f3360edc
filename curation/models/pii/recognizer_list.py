"""The recognizers of presidio-analyzer that are used here, as a list, so that a plan loads nothing of the library.

Each line has the kind of personal data that a recognizer finds, the recognizer's class, the languages of the texts that
it looks in (* = any), and `usual` if Presidio's own configuration has it. A test compares the list with the library.
"""

from dataclasses import dataclass
from functools import lru_cache

EVERYWHERE = ""  # the language of recognizers that look in texts of any

_LIST = """
aba_routing_number            AbaRoutingRecognizer                 en
au_abn                        AuAbnRecognizer                      en
au_acn                        AuAcnRecognizer                      en
au_medicare                   AuMedicareRecognizer                 en
au_tfn                        AuTfnRecognizer                      en
ca_postal_code                CaPostalCodeRecognizer               en,fr
ca_sin                        CaSinRecognizer                      en,fr
credit_card                   CreditCardRecognizer                 *     usual
crypto                        CryptoRecognizer                     *     usual
de_bsnr                       DeBsnrRecognizer                     de
de_fuehrerschein              DeFuehrerscheinRecognizer            de
de_handelsregister            DeHandelsregisterRecognizer          de
de_health_insurance           DeHealthInsuranceRecognizer          de
de_id_card                    DeIdCardRecognizer                   de
de_kfz                        DeKfzRecognizer                      de
de_lanr                       DeLanrRecognizer                     de
de_passport                   DePassportRecognizer                 de
de_plz                        DePlzRecognizer                      de
de_social_security            DeSocialSecurityRecognizer           de
de_tax_id                     DeTaxIdRecognizer                    de
de_tax_number                 DeTaxNumberRecognizer                de
de_vat_id                     DeVatIdRecognizer                    de
email                         EmailRecognizer                      *     usual
es_nie                        EsNieRecognizer                      es    usual
es_nif                        EsNifRecognizer                      es    usual
es_passport                   EsPassportRecognizer                 es
fi_personal_identity_code     FiPersonalIdentityCodeRecognizer     fi
iban                          IbanRecognizer                       *     usual
in_aadhaar                    InAadhaarRecognizer                  en
in_gstin                      InGstinRecognizer                    en
in_pan                        InPanRecognizer                      en
in_passport                   InPassportRecognizer                 en
in_vehicle_registration       InVehicleRegistrationRecognizer      en
in_voter                      InVoterRecognizer                    en
ip                            IpRecognizer                         *     usual
it_driver_license             ItDriverLicenseRecognizer            it    usual
it_fiscal_code                ItFiscalCodeRecognizer               it    usual
it_identity_card              ItIdentityCardRecognizer             it    usual
it_passport                   ItPassportRecognizer                 it    usual
it_vat_code                   ItVatCodeRecognizer                  it    usual
kr_brn                        KrBrnRecognizer                      ko
kr_driver_license             KrDriverLicenseRecognizer            ko
kr_frn                        KrFrnRecognizer                      ko
kr_passport                   KrPassportRecognizer                 ko,kr
kr_rrn                        KrRrnRecognizer                      ko,kr
mac_address                   MacAddressRecognizer                 *     usual
medical_license               MedicalLicenseRecognizer             en    usual
ng_nin                        NgNinRecognizer                      en
ng_vehicle_registration       NgVehicleRegistrationRecognizer      en
ph_passport                   PhPassportRecognizer                 en
ph_tin                        PhTinRecognizer                      en
ph_umid                       PhUmidRecognizer                     en
phone                         PhoneRecognizer                      *     usual
pl_pesel                      PlPeselRecognizer                    pl    usual
se_organisationsnummer        SeOrganisationsnummerRecognizer      sv
se_personnummer               SePersonnummerRecognizer             sv
sg_nric_fin                   SgFinRecognizer                      en
sg_uen                        SgUenRecognizer                      en
th_tnin                       ThTninRecognizer                     th
tr_license_plate              TrLicensePlateRecognizer             tr
tr_national_id                TrNationalIdRecognizer               tr
uk_driving_licence            UkDrivingLicenceRecognizer           en
uk_nhs                        NhsRecognizer                        en    usual
uk_nino                       UkNinoRecognizer                     en
uk_passport                   UkPassportRecognizer                 en
uk_postcode                   UkPostcodeRecognizer                 en
uk_vehicle_registration       UkVehicleRegistrationRecognizer      en
us_bank_number                UsBankRecognizer                     en    usual
us_claim_number               UsClaimNumberRecognizer              en
us_driver_license             UsLicenseRecognizer                  en    usual
us_health_insurance_member_id UsHealthInsuranceMemberIdRecognizer  en
us_itin                       UsItinRecognizer                     en    usual
us_mbi                        UsMbiRecognizer                      en
us_npi                        UsNpiRecognizer                      en
us_passport                   UsPassportRecognizer                 en    usual
us_prescription_number        UsPrescriptionNumberRecognizer       en
us_prior_authorization_number UsPriorAuthorizationNumberRecognizer en
us_provider_tax_id            UsProviderTaxIdRecognizer            en
us_referral_number            UsReferralNumberRecognizer           en
us_ssn                        UsSsnRecognizer                      en    usual
uuid                          UuidRecognizer                       *     usual
za_company_registration       ZaCompanyRegistrationRecognizer      en
za_driver_license             ZaDriverLicenseRecognizer            en
za_id_number                  ZaIdNumberRecognizer                 en
za_income_tax_number          ZaIncomeTaxNumberRecognizer          en
za_license_plate              ZaLicensePlateRecognizer             en
za_passport                   ZaPassportRecognizer                 en
za_traffic_register_number    ZaTrafficRegisterNumberRecognizer    en
za_vat_number                 ZaVatNumberRecognizer                en
"""


@dataclass(frozen=True)
class PresidioRecognizer:
    """One of Presidio's recognizers, in one language."""

    kind: str
    name: str  # of its class
    language: str
    usual: bool  # whether Presidio's own configuration has it


@lru_cache
def known() -> tuple[PresidioRecognizer, ...]:
    """All recognizers of patterns and of telephone numbers, by kind."""
    found = []
    for kind, name, languages, *usual in map(str.split, _LIST.strip().splitlines()):
        own = [EVERYWHERE] if languages == "*" else languages.split(",")
        found += [PresidioRecognizer(kind, name, language, bool(usual)) for language in own]
    return tuple(found)
