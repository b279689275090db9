//! The rules for secrets that show by the name they are given to.

use super::{Find, Rule};
use crate::judge::Kind;

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "AWS_SECRET_KEY",
        keywords: &[
            "aws_secret",
            "awssecret",
            "aws-secret",
            "secret_access_key",
            "secretaccesskey",
        ],
        find: Find::Assigned(
            &[
                "aws_secret_access_key",
                "aws-secret-access-key",
                "awssecretaccesskey",
                "aws_secret_key",
                "awssecretkey",
                "aws_secret",
                "secret_access_key",
                "secretaccesskey",
            ],
            Kind::AwsSecret,
        ),
        yes: &[
            (
                "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            ),
            (
                "{\"SecretAccessKey\": \"0qk+o7XctJMmG6ydO8537c9+TofLJU1K0PiVBXSg\"}",
                "0qk+o7XctJMmG6ydO8537c9+TofLJU1K0PiVBXSg",
            ),
            (
                "aws_secret_access_key = 0qk+o7XctJMmG6ydO8537c9+TofLJU1K0PiVBXSgAndMore1",
                "0qk+o7XctJMmG6ydO8537c9+TofLJU1K0PiVBXSgAndMore1",
            ),
        ],
        no: &[
            "AWS_SECRET_ACCESS_KEY=${SECRET}",
            "aws_secret_access_key = os.environ[\"AWS_SECRET_ACCESS_KEY\"]",
            "AWS_SECRET_ACCESS_KEY=YOUR_API_KEY_HERE_PLACEHOLDER_VALUE",
        ],
    },
    Rule {
        name: "DATABASE_PASSWORD",
        keywords: &["pass", "pwd"],
        find: Find::Assigned(
            &["passphrase", "password", "passwd", "passwort", "pass", "pwd"],
            Kind::Password,
        ),
        yes: &[
            ("password = \"super$ecret\"", "super$ecret"),
            ("Password: hunter2", "hunter2"),
            ("DB_PASSWORD=short1", "short1"),
            ("Server=h;Uid=u;Pwd=myPa55word;", "myPa55word"),
            ("user = 'Aladdin'\npassword = 'open sesame'", "open sesame"),
            ("mysql -u root --password Xy9KmPq2LvWnB7tR", "Xy9KmPq2LvWnB7tR"),
            ("<password>hunter2</password>", "hunter2"),
            ("?user=a&password=s3cr3tvalue&x=1", "s3cr3tvalue"),
        ],
        no: &[
            "const password = process.env.X",
            "const password = process.env.DB_PASSWORD || \"not-set\"",
            "compass = \"north-west-12\"",
            "password = getPassword()",
            "password: string;",
            "password = request.form.get('password')",
            "PASSWORD=$($(dirname $0)/get-secret DB)",
            "\"password\": \"<your password>\"",
            "password: ${DB_PASSWORD}",
            "connect(user=user, password=password)",
            "self.password = new_password",
            "passwordLabel:\"Password:\"",
            "char *password = NULL;",
        ],
    },
    Rule {
        name: "API_KEY",
        keywords: &[
            "api_key",
            "api-key",
            "apikey",
            "api_secret",
            "api-secret",
            "apisecret",
            "api_token",
            "api-token",
            "apitoken",
        ],
        find: Find::Assigned(
            &[
                "api_secret_key",
                "api_secret",
                "api-secret",
                "apisecret",
                "api_token",
                "api-token",
                "apitoken",
                "api_key",
                "api-key",
                "apikey",
            ],
            Kind::Key,
        ),
        yes: &[
            ("API_KEY = \"951bc382db9abad29c68634761dd6e19\"", "951bc382db9abad29c68634761dd6e19"),
            ("X-Api-Key: Kp4Qx7Rm2Sn5Tb8Vw3Yz", "Kp4Qx7Rm2Sn5Tb8Vw3Yz"),
            ("?api_key=ufnlbbavawsdeecn&x=1", "ufnlbbavawsdeecn"),
        ],
        no: &[
            "API_KEY=short",
            "apiKey: process.env.API_KEY,",
            "api_key = get_api_key_from_environment1()",
            "api_key: \"YOUR_API_KEY_HERE_PLACEHOLDER_VALUE\"",
            "api_key = settings.service.api_key2",
        ],
    },
    Rule {
        name: "SECRET",
        keywords: &[
            "secret",
            "token",
            "credential",
            "private_key",
            "privatekey",
            "access_key",
            "accesskey",
        ],
        find: Find::Assigned(
            &[
                "secret_key_base",
                "secret_key",
                "secret-key",
                "secretkey",
                "secret",
                "token",
                "credentials",
                "credential",
                "private_key",
                "privatekey",
                "access_key",
                "accesskey",
            ],
            Kind::Key,
        ),
        yes: &[
            (
                "client_secret: '6fb1cff7690db9ac066cadbbde8e3c07'",
                "6fb1cff7690db9ac066cadbbde8e3c07",
            ),
            ("//registry/:_authToken=YWJjZGVmZ2hpamtsbW5vcHFy", "YWJjZGVmZ2hpamtsbW5vcHFy"),
            (
                "SECRET_KEY = 'django-insecure-_du9e^cmago!%(^+=gr'",
                "django-insecure-_du9e^cmago!%(^+=gr",
            ),
        ],
        no: &[
            "secret = ClientSecretConfigValue2",
            "secretName: my-service-tls-2024",
            "token: identifier_or_keyword",
            "public_token = \"6fb1cff7690db9ac066cadbbde8e3c07\"",
            "token = lexer.next_token1(input)",
            "\"nextPageToken\": page_token_value",
        ],
    },
    Rule {
        name: "SECRET",
        keywords: &["_key", "-key"],
        find: Find::Assigned(&["_key", "-key"], Kind::LooseKey),
        yes: &[("azure_search_key = XK8TnSRDXsoxiFYiH6Ix2aBC6jv", "XK8TnSRDXsoxiFYiH6Ix2aBC6jv")],
        no: &[
            "cache_key: 3b335d612137949d2f21fcc6c8c8164db7603227",
            "primary_key: 9a3b7c2e-4d1f-6a8b-0c5d-9e3f7a1b4c2d",
            "public_key = \"XK8TnSRDXsoxiFYiH6Ix2aBC6jv\"",
        ],
    },
];
