import { Fn, Stack, type StackProps } from 'aws-cdk-lib';
import {
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpointAwsService,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { AnyPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';

export interface NetworkStackProps extends StackProps {
  readonly availabilityZones: number;
  readonly interfaceEndpoints: 'on' | 'off';
  /** Buckets that can be reached from inside; no other bucket can. */
  readonly buckets: readonly IBucket[];
}

/** A network without any way out: isolated subnets, and endpoints to the few services that tasks call. */
export class NetworkStack extends Stack {
  readonly vpc: Vpc;
  /** Rollout tasks: HTTPS to the endpoints, nothing else, nothing in. */
  readonly tasks: SecurityGroup;
  /** The function that runs model-written code: no rule in either direction. */
  readonly generatedCode: SecurityGroup;

  constructor(scope: Construct, id: string, props: NetworkStackProps) {
    super(scope, id, props);
    this.vpc = new Vpc(this, 'Vpc', {
      maxAzs: props.availabilityZones,
      natGateways: 0,
      subnetConfiguration: [{ name: 'isolated', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 22 }],
      restrictDefaultSecurityGroup: false,
    });
    this.tasks = this.group('Tasks', 'Rollout tasks: HTTPS to service endpoints');
    this.generatedCode = this.group('GeneratedCode', 'Model-written code: no traffic at all');
    // Gateway endpoints have public addresses that a prefix list names; the endpoint policy decides what can be reached.
    this.tasks.addEgressRule(
      Peer.anyIpv4(),
      Port.tcp(443),
      'HTTPS to gateway and interface endpoints; there is no route elsewhere',
    );
    this.gatewayEndpoints(props.buckets);
    if (props.interfaceEndpoints === 'on') this.interfaceEndpoints();
  }

  /** By position in the region: names differ from account to account, and asking for them would need credentials at synthesis. */
  override get availabilityZones(): string[] {
    return [0, 1, 2].map((index) => Fn.select(index, Fn.getAzs()));
  }

  private group(id: string, description: string): SecurityGroup {
    return new SecurityGroup(this, id, { vpc: this.vpc, description, allowAllOutbound: false });
  }

  /** Free of charge. S3 reaches the project's buckets and the layers of container images, so nothing can be carried to another bucket. */
  private gatewayEndpoints(buckets: readonly IBucket[]): void {
    const s3 = this.vpc.addGatewayEndpoint('S3', { service: GatewayVpcEndpointAwsService.S3 });
    s3.addToPolicy(
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:ListBucket'],
        resources: buckets.flatMap((bucket) => [bucket.bucketArn, bucket.arnForObjects('*')]),
      }),
    );
    s3.addToPolicy(
      new PolicyStatement({
        principals: [new AnyPrincipal()],
        actions: ['s3:GetObject'],
        resources: [`arn:${this.partition}:s3:::prod-${this.region}-starport-layer-bucket/*`],
      }),
    );
    this.vpc.addGatewayEndpoint('DynamoDb', { service: GatewayVpcEndpointAwsService.DYNAMODB });
  }

  /** Billed by the hour and zone: what pulling images, logging and calling the policy need. */
  private interfaceEndpoints(): void {
    const services = {
      EcrApi: InterfaceVpcEndpointAwsService.ECR,
      EcrDocker: InterfaceVpcEndpointAwsService.ECR_DOCKER,
      Logs: InterfaceVpcEndpointAwsService.CLOUDWATCH_LOGS,
      SageMakerRuntime: InterfaceVpcEndpointAwsService.SAGEMAKER_RUNTIME,
    };
    const group = this.group('Endpoints', 'Interface endpoints: HTTPS from rollout tasks');
    group.addIngressRule(this.tasks, Port.tcp(443), 'HTTPS from rollout tasks');
    for (const [id, service] of Object.entries(services)) {
      this.vpc.addInterfaceEndpoint(id, { service, securityGroups: [group], open: false });
    }
  }
}
